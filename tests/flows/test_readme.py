"""What the README shows is run here, in its order: every `$` line, and its output against the text.

In the shown output `...` stands for anything.
"""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SECONDS = 240


@dataclass
class Shown:
    """One command of the README and the output under it."""

    command: str
    output: str


def shown() -> list[Shown]:
    found: list[Shown] = []
    for block in re.findall(r"^```console\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Shown(line[2:], ""))
            else:
                found[-1].output += line + "\n"
    return found


def matches(pattern: str, text: str) -> bool:
    """Whether a text is what the README shows; white space counts as one blank."""
    pieces = [re.escape(" ".join(piece.split())) for piece in pattern.split("...")]
    return re.fullmatch(r"\s*.*\s*".join(pieces), " ".join(text.split()), re.S) is not None


@pytest.mark.train
def test_every_command_of_the_tour_prints_what_is_shown(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FSDP_AGENT_")}
    bin_folder = Path(sys.executable).parent
    environment |= {"FSDP_AGENT_HOME": str(tmp_path), "PATH": f"{bin_folder}:{environment['PATH']}", "COLUMNS": "200"}
    launch_hash = ""
    tour = [part for part in shown() if not part.command.startswith("make ")]
    assert len(tour) >= 8
    for part in tour:
        argv = shlex.split(part.command.replace("HASH", launch_hash))
        done = subprocess.run(
            argv, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
        assert done.returncode in (0, 1, 3, 4), f"{part.command}: {done.stderr}"
        printed = done.stdout + done.stderr
        if found := re.search(r"^hash +([0-9a-f]{64})", printed, re.M):
            launch_hash = found[1]
        assert matches(part.output, printed), f"{part.command} printed:\n{printed}"


def test_the_two_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for part in shown():
        if part.command.startswith("make "):
            assert re.search(rf"^{part.command.split()[1]}:", makefile, re.M)


def test_a_wrong_output_would_be_seen() -> None:
    assert matches("a ... c\n...\n", "a b c\nand more")
    assert not matches("a ... c\n", "a b d")
    assert not matches("one\n", "one\ntwo")


def test_every_link_leads_to_a_file() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert target.startswith("http") or (ROOT / target).exists(), target
