"""Where a report goes, and what becomes of one that cannot be written."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import ExecutionInfo, Runtime

from contracts.settings import Settings
from nodes.report import report

ERROR = {"code": "request_invalid", "message": "no such key"}
ANSWER = {"covered": False, "answer": "not covered", "confidence": 0.5}


def call(home: Path, thread_id: str, **state: Any) -> dict[str, Any]:
    info = ExecutionInfo(checkpoint_id="", checkpoint_ns="", task_id="", thread_id=thread_id)
    return report(state, Runtime(context=Settings(home=str(home)), execution_info=info))  # type: ignore[arg-type]


@pytest.mark.parametrize("thread_id", ["t-1", "01a22b5f-ad41-77f8-829e-f69439428e57", "a.b_c"])
def test_a_plain_thread_id_names_the_folder(tmp_path: Path, thread_id: str) -> None:
    out = call(tmp_path, thread_id, phase="done", answer=ANSWER)
    assert out["report"]["path"] == str(tmp_path / "reports" / thread_id / "report.md")


@pytest.mark.parametrize("thread_id", ["../../outside", "/etc", "..", "a/b", ".hidden", "x" * 200, "ø"])
def test_no_thread_id_leads_outside(tmp_path: Path, thread_id: str) -> None:
    path = Path(call(tmp_path / "home", thread_id, phase="done", answer=ANSWER)["report"]["path"])
    assert path.resolve().parent.parent == (tmp_path / "home" / "reports").resolve()
    assert [found.name for found in tmp_path.iterdir()] == ["home"]


def test_an_error_alone_is_a_message_and_no_file(tmp_path: Path) -> None:
    out = call(tmp_path, "t-1", phase="failed", error=ERROR)
    assert out["report"]["path"] is None
    assert "no such key" in str(out["messages"][0].text)
    assert not (tmp_path / "reports").exists()


def test_a_report_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("a file is in the way")
    out = call(tmp_path, "t-1", phase="done", answer=ANSWER)
    assert out["report"]["path"] is None
    assert "report_unwritable" in out["report"]["summary"]
    assert "not covered" in out["report"]["summary"]
