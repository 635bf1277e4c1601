"""A home folder that can be none, and files that are not there: one sentence with the path, exit code 2."""

import json
from pathlib import Path

import pytest

from interfaces.cli.main import run_command

REQUEST = "intent: run\ntext: train Llama-3-8B on 2 GPUs\n"


@pytest.mark.parametrize(
    "words", [["jobs", "list"], ["serve", "--plain"], ["ask", "--study", "which batch?"], ["tokens", "list"]]
)
@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_home_that_is_a_file_is_named_by_every_command(
    words: list[str], below: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("a file")
    home = tmp_path / "notes.txt" / below
    assert run_command([*words, "--home", str(home)]) == 2
    said = capsys.readouterr().err
    assert str(home) in said
    assert "is no folder" in said
    assert "FSDP_AGENT_HOME" in said
    assert "Errno" not in said


def test_a_home_where_nothing_can_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FSDP_AGENT_HOME", "/proc/nothing-is-made-here")
    asked = tmp_path / "request.yaml"
    asked.write_text(REQUEST)
    assert run_command(["run", str(asked), "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert "/proc/nothing-is-made-here" in error["message"]
    assert "--home" in error["hint"]
    assert "Errno" not in error["message"]


def test_a_key_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "no.key"
    words = ["n8n", "install", "--url", "http://127.0.0.1:9", "--api-key-file", str(missing), "--home", str(tmp_path)]
    assert run_command(words) == 2
    said = capsys.readouterr().err
    assert f"{missing} does not exist" in said
    assert "Errno" not in said
