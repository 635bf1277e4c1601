"""Findings for a person: place, reason, the line with a caret, the fix and, where there is one, its diff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from interfaces.cli.text import counted, one_line, visible

if TYPE_CHECKING:
    from rich.text import Text

    from contracts.finding import Edit, Finding, ReviewResult
    from interfaces.cli.output import Output

_STYLES = {"error": "bold red", "warning": "bold yellow", "advice": "bold cyan"}
_TAB = "    "


def print_result(out: Output, result: ReviewResult, *, diffs: bool) -> None:
    """Print findings, what could not be read or followed, and a count.

    Args:
        out: Where to.
        result: What a review found.
        diffs: Whether the edits are printed as well.
    """
    for finding in result.findings:
        out.console.print(_headline(finding), soft_wrap=True)
        for line in _excerpt(finding):
            out.console.print(line, soft_wrap=True)
        if finding.fix:
            out.progress(f"    fix: {finding.fix}")
        for edit in finding.edits if diffs else ():
            for line in _diff(edit):
                out.console.print(line, soft_wrap=True)
    for note in result.unreadable:
        out.progress(f"not read: {note}")
    for note in result.not_followed:
        out.progress(f"not followed: {note}")
    out.progress(_summary(result))


def _headline(finding: Finding) -> Text:
    from rich.text import Text

    place = one_line(f"{finding.file}:{finding.line}:{finding.column}")
    return Text.assemble(
        (place, "bold"),
        ": ",
        (finding.severity, _STYLES[finding.severity]),
        f" {finding.rule} ({finding.slug}): ",
        one_line(finding.message),
    )


def _excerpt(finding: Finding) -> Sequence[Text]:
    """The line and a caret below the column."""
    from rich.text import Text

    if not finding.text.strip():
        return ()
    number = f"{finding.line:>7} | "
    before = visible(finding.text[: finding.column - 1].replace("\t", _TAB))
    shown = visible(finding.text.replace("\t", _TAB))
    lines = [Text.assemble((number, "dim"), shown)]
    if finding.column <= len(finding.text):
        blank = " " * len(before)
        lines.append(Text.assemble((" " * (len(number) - 2) + "| ", "dim"), blank, ("^", _STYLES[finding.severity])))
    return lines


def _diff(edit: Edit) -> Sequence[Text]:
    from rich.text import Text

    removed = [Text(visible(f"        - {line}"), style="red") for line in edit.old]
    return [*removed, *(Text(visible(f"        + {line}"), style="green") for line in edit.new)]


def _summary(result: ReviewResult) -> str:
    parts = [counted(len(result.files), "file"), counted(len(result.findings), "finding")]
    mendable = sum(bool(finding.edits) for finding in result.findings)
    if mendable:
        parts.append(f"{mendable} can be mended by --fix")
    if result.unreadable:
        parts.append(f"{len(result.unreadable)} not read")
    return ", ".join(parts)
