"""Values of options: what is allowed is said plainly, and counts may be written with an exponent."""

import json

import pytest

from interfaces.cli.main import run_command

PLAN = ["plan", "--model", "Llama-3-8B", "--gpus", "8", "--gpu", "H100", "--nodes", "1", "--seq-len", "2048"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--gpu-memory", "nan"], "must be a finite number"),
        (["--margin=-inf"], "must be a finite number"),
        (["--gpu-memory", "20000"], "must be 10000 or less"),
        (["--nodes", "0"], "must be 1 or more"),
        (["--nodes", "two"], "must be a whole number"),
        (["--price", "cheap"], "must be a number"),
        (["--tokens", "1.5"], "must be a whole number of 1 or more"),
        (["--tokens", "1e-3"], "must be a whole number of 1 or more"),
        (["--tokens", "0"], "must be a whole number of 1 or more"),
    ],
)
def test_a_wrong_value_is_told_what_is_allowed(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([*PLAN, *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Input should" not in error
    assert "unable to parse" not in error


def test_tokens_may_be_written_with_an_exponent(capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for written in ("2.5e9", "2500000000", "2_500_000_000", "1e9"):
        run_command([*PLAN, "--tokens", written, "--json"])
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0] != answers[3]
