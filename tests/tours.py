"""What a page shows is run in its order: every `$` line, and its output against the text.

In the shown output `...` stands for anything. HASH stands for the launch that was printed
last, RUN_ID for the run that was approved last, DIR for a folder of the test's. A command whose shown output asks for
"yes or no" is run in a terminal, and the answer is yes.
"""

import os
import pty
import re
import select
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SECONDS = 240
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass
class Shown:
    """One command of a page and the output under it."""

    command: str
    output: str = ""


@dataclass
class Tour:
    """A page's commands, run one after the other in a home folder."""

    page: Path
    home: Path
    named: dict[str, str] = field(default_factory=dict)
    """What HASH, RUN_ID and DIR stand for by now."""
    seconds: int = _SECONDS
    """How long a command that is no terminal's may take."""

    def __post_init__(self) -> None:
        self.named["DIR"] = str(self.home / "out")

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FSDP_AGENT_")}
        path = f"{Path(sys.executable).parent}:{kept['PATH']}"
        return kept | {"FSDP_AGENT_HOME": str(self.home), "PATH": path, "COLUMNS": "200"}

    def walk(self) -> int:
        """Run every command but `make ...` and return how many there were."""
        parts = [part for part in shown(self.page) if not part.command.startswith("make ")]
        for part in parts:
            command = part.command
            for name, value in self.named.items():
                command = command.replace(name, value)
            code, printed = self._run(shlex.split(command), asked="yes or no" in part.output)
            assert code in (0, 1, 3, 4), f"{command} exited with {code}:\n{printed}"
            self._remember(command, printed)
            assert matches(part.output, printed), f"{command} printed:\n{printed}"
        return len(parts)

    def _run(self, argv: list[str], *, asked: bool) -> tuple[int, str]:
        if asked:
            return _in_terminal(argv, self.environment)
        done = subprocess.run(
            argv,
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=self.seconds,
            stdin=subprocess.DEVNULL,
        )
        return done.returncode, done.stdout + done.stderr

    def _remember(self, command: str, printed: str) -> None:
        if found := re.search(r"^hash +([0-9a-f]{64})", printed, re.M):
            self.named["HASH"] = found[1]
        if " approve " in command and (runs := re.findall(r"\br-[0-9a-f]{12}\b", printed)):
            self.named["RUN_ID"] = runs[-1]


def shown(page: Path) -> list[Shown]:
    """Return the commands of a page's `console` blocks."""
    found: list[Shown] = []
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Shown(line[2:]))
            else:
                found[-1].output += line + "\n"
    return found


def matches(pattern: str, text: str) -> bool:
    """Whether a text is what a page shows; white space counts as one blank, `...` is any text."""
    return unmatched(pattern, text) is None


def unmatched(pattern: str, text: str) -> str | None:
    """Return the first piece of a page's output that a text lacks, or None.

    Piece after piece, each at its first place: a regular expression with a dozen gaps would
    try their product before it gave up.
    """
    text = " ".join(text.split())
    first, *rest = [" ".join(piece.split()) for piece in pattern.split("...")]
    if not rest:
        return None if text == first else first
    if not text.startswith(first):
        return first
    at, last = len(first), rest.pop()
    for piece in rest:
        found = text.find(piece, at)
        if found < 0:
            return piece
        at = found + len(piece)
    return None if text.endswith(last) and len(text) - len(last) >= at else last


def _in_terminal(argv: list[str], environment: dict[str, str]) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        argv,
        cwd=ROOT,
        env=environment | {"TERM": "xterm-256color", "LINES": "60"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    said, answered, deadline = "", False, time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += piece.decode("utf-8", "replace")
        if "yes or no: " in said and not answered:
            answered = True
            os.write(ours, b"yes\n")
    os.close(ours)
    if time.monotonic() >= deadline:
        process.kill()
    return process.wait(_SECONDS), _ESCAPES.sub("", said)
