"""Suppressions: `# fsdp: ignore[FSDP001] reason` on the line of a finding or above it."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from contracts.finding import Finding

_COMMENT = re.compile(r"#\s*fsdp:\s*ignore\[([A-Z0-9, ]+)\]\s*(.*)$")
UNUSED = "RV001"
WITHOUT_REASON = "RV002"


class Suppression(NamedTuple):
    """One comment."""

    line: int
    """1-based line of the comment."""
    covers: int
    """Line whose findings it silences."""
    rules: frozenset[str]
    reason: str


def suppressions(text: str, idle: Collection[str] = ()) -> list[Suppression]:
    """Return the suppressions of a file; one on a line of its own covers the next line.

    Args:
        text: The file's text.
        idle: Rules that are not applied; a comment for these alone is neither used nor unused.
    """
    if "fsdp:" not in text:
        return []
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _COMMENT.search(line)
        if match is not None:
            alone = line[: match.start()].strip() == ""
            rules = frozenset(rule.strip() for rule in match[1].split(",") if rule.strip())
            if rules <= set(idle):
                continue
            found.append(Suppression(number, number + 1 if alone else number, rules, match[2].strip()))
    return found


def apply(findings: Iterable[Finding], comments: dict[str, list[Suppression]]) -> list[Finding]:
    """Return the findings that no comment silences, and a finding for each idle comment.

    Args:
        findings: What the rules found.
        comments: Suppressions by path.
    """
    kept: list[Finding] = []
    used: set[tuple[str, int]] = set()
    for finding in findings:
        covering = [
            comment
            for comment in comments.get(finding.file, ())
            if finding.rule in comment.rules and finding.line in (comment.covers, comment.line)
        ]
        used.update((finding.file, comment.line) for comment in covering)
        if not covering:
            kept.append(finding)
    for path, listed in comments.items():
        kept.extend(
            _about(path, comment, (path, comment.line) in used) for comment in listed if _idle(comment, path, used)
        )
    return kept


def _idle(comment: Suppression, path: str, used: set[tuple[str, int]]) -> bool:
    return (path, comment.line) not in used or not comment.reason


def _about(path: str, comment: Suppression, was_used: bool) -> Finding:
    rules = ", ".join(sorted(comment.rules))
    if not was_used:
        return Finding(
            rule=UNUSED,
            slug="unused-suppression",
            severity="advice",
            file=path,
            line=comment.line,
            message=f"nothing is found here for {rules}",
            fix="Remove the comment.",
        )
    return Finding(
        rule=WITHOUT_REASON,
        slug="suppression-without-reason",
        severity="advice",
        file=path,
        line=comment.line,
        message=f"{rules} is ignored here without a reason",
        fix="Write the reason after the bracket.",
    )
