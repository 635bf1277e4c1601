"""A command that was typed in the wrong place is named where it is."""

import json

import pytest

from interfaces.cli.main import run_command


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["jobs", "reconcile"], "did you mean: fsdp-agent reconcile"),
        (["kb", "estimate"], "did you mean: fsdp-agent estimate"),
        (["cancel", "r-0123456789ab"], "did you mean: fsdp-agent jobs cancel"),
        (["rotate"], "did you mean: fsdp-agent tokens rotate"),
        (["list"], "did you mean: fsdp-agent jobs list, fsdp-agent kb list, fsdp-agent tokens list"),
        (["frobnicate"], "usage: see fsdp-agent --help"),
        (["jobs", "frobnicate"], "usage: see fsdp-agent jobs --help"),
    ],
)
def test_a_word_in_the_wrong_place(words: list[str], hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([*words, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["hint"] == hint
