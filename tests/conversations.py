"""The conversations and calls of docs/doors/orchestration.md, as data: the page is what is replayed."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "doors" / "orchestration.md"
_LINE = re.compile(r"(user|call|answer|says|post) +(.*)")


@dataclass(frozen=True)
class Exchange:
    """One block of the page."""

    door: str
    """`hermes` or `n8n`."""
    title: str
    """The heading above it."""
    lines: tuple[tuple[str, str], ...]
    """Label and text, in order; what stands on several lines is one text."""

    def of(self, label: str) -> list[str]:
        """Return the texts of a label."""
        return [text for name, text in self.lines if name == label]

    @property
    def calls(self) -> list[tuple[str, str]]:
        """What is called, a tool or a path, and its argument as JSON text, `MODEL` and the like still in it."""
        return [(text.split(" ", 1)[0], text.split(" ", 1)[1]) for text in self.of("call") + self.of("post")]


def exchanges(door: str) -> list[Exchange]:
    """Return the page's blocks of one door."""
    found, title = [], ""
    for heading, kind, body in re.findall(
        r"^#+ ([^\n]+)$|^```(hermes|n8n)\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S
    ):
        title = heading or title
        if kind != door:
            continue
        lines: list[tuple[str, str]] = []
        for line in body.splitlines():
            if begun := _LINE.fullmatch(line):
                lines.append((begun[1], begun[2]))
            else:
                label, text = lines[-1]
                # an answer is JSON without blanks between its parts
                lines[-1] = (label, text + ("" if label == "answer" else " ") + line.strip())
        found.append(Exchange(door, title, tuple(lines)))
    return found


def filled(text: str, bench: Any) -> dict[str, Any]:
    """Return an argument with the bench's files in the place of `MODEL`, `DATA` and `PYTHON`."""
    for name, path in (("MODEL", "model"), ("DATA", "train.jsonl"), ("PYTHON", "bin/python")):
        text = text.replace(f'"{name}"', json.dumps(str(bench.folder / path)))
    return dict(json.loads(text))
