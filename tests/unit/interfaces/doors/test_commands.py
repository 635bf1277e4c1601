"""A proposed command works where it is typed: it names the program and the home folder where a shell would not know."""

import shlex
import sys
from pathlib import Path

import pytest

from contracts.settings import Settings
from interfaces.doors.commands import command

OURS = Path(sys.executable).with_name("fsdp-agent")


def test_nothing_is_added_where_the_shell_knows_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(OURS.parent))
    assert (
        command(Settings(home=str(tmp_path / ".fsdp-agent")), "jobs", "follow", "r-1") == "fsdp-agent jobs follow r-1"
    )


def test_program_and_home_are_named_where_it_does_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    words = shlex.split(command(Settings(home=str(tmp_path / "of a team")), "approve", "abc"))
    assert words == [str(OURS), "approve", "abc", "--home", str(tmp_path / "of a team")]


def test_another_program_of_that_name_is_not_meant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "fsdp-agent"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command(Settings(), "approve").startswith(shlex.quote(str(OURS)))
