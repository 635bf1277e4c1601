"""Home, thread and secret of an invocation."""

from pathlib import Path

import pytest
from langgraph.runtime import ExecutionInfo, Runtime

from contracts.errors import FileUnreadable
from contracts.settings import Settings
from nodes.setting import approver_key, home_of, settings_of, thread_of


def test_what_is_given_comes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSDP_AGENT_HOME", str(tmp_path / "environment"))
    assert home_of(Runtime()).root == tmp_path / "environment"
    given = Runtime(context=Settings(home=str(tmp_path / "given"), interpreter="/p"))
    assert home_of(given).root == tmp_path / "given"
    assert settings_of(given).interpreter == "/p"


def test_the_thread_is_the_executions() -> None:
    info = ExecutionInfo(checkpoint_id="", checkpoint_ns="", task_id="", thread_id="t-1")
    assert thread_of(Runtime(execution_info=info)) == "t-1"
    assert thread_of(Runtime()) == "none"


def test_a_secret_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    runtime = Runtime(context=Settings(home=str(tmp_path)))
    key = approver_key(runtime)
    assert len(key) == 32
    (tmp_path / "secrets" / "approve.key").chmod(0o644)
    with pytest.raises(FileUnreadable, match="chmod 600"):
        approver_key(runtime)
    (tmp_path / "secrets" / "approve.key").chmod(0o600)
    (tmp_path / "secrets" / "approve.key").write_text("not hexadecimal")
    with pytest.raises(FileUnreadable):
        approver_key(runtime)
