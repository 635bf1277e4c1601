"""`fsdp-agent diagnose`: exit codes, standard input, and an answer that its schema holds for."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from interfaces.cli.main import run_command
from interfaces.cli.schemas import schema_of


def diagnosed(words: list[str], capsys: Any) -> tuple[int, dict[str, Any]]:
    """Run the command and return (exit code, answer)."""
    code = run_command(["diagnose", *words, "--json"])
    answer = json.loads(capsys.readouterr().out)
    if code != 2:
        jsonschema.validate(answer, schema_of("diagnose"))
    return code, answer


@pytest.mark.parametrize(
    ("text", "code", "verdict"),
    [
        ("ValueError: Cannot flatten integer dtype tensors", 0, "diagnosed"),
        ("RuntimeError: DataLoader worker (pid 9) is killed by signal: Bus error.", 0, "not_fsdp"),
        ("it does not work", 3, "unknown"),
    ],
)
def test_a_file_is_read_and_the_exit_code_says_what_came_of_it(
    text: str, code: int, verdict: str, tmp_path: Path, capsys: Any
) -> None:
    log = tmp_path / "rank0.log"
    log.write_text(f"step 1\n{text}\n")
    found, answer = diagnosed([str(log)], capsys)
    assert (found, answer["verdict"]) == (code, verdict)
    if code == 0:
        assert {"file": str(log), "line": 2, "text": text} in answer["causes"][0]["evidence"]
    else:
        assert len(answer["needed"]) == 3


def test_standard_input_is_read_to_its_end(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = io.TextIOWrapper(io.BytesIO(b"\xff\nRuntimeError: Cannot flatten integer dtype tensors\n"))
    monkeypatch.setattr(sys, "stdin", piped)
    code, answer = diagnosed(["-"], capsys)
    assert code == 0
    assert answer["causes"][0]["cause"] == "quantized-integer-params"
    assert answer["causes"][0]["evidence"][0]["file"] == "<stdin>"


def test_a_path_that_is_not_there_is_wrong_use(tmp_path: Path, capsys: Any) -> None:
    code, answer = diagnosed([str(tmp_path / "gone.log")], capsys)
    assert code == 2
    assert "gone.log" in answer["error"]["message"]


def test_a_version_that_is_none_is_wrong_use(tmp_path: Path, capsys: Any) -> None:
    log = tmp_path / "log"
    log.write_text("ValueError: Cannot flatten integer dtype tensors\n")
    code, answer = diagnosed([str(log), "--torch", "newest"], capsys)
    assert code == 2
    assert "newest" in answer["error"]["message"]
