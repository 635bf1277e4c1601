"""Suppressions: `# fsdp: ignore[FSDP001] reason` on the line of a finding, above it, or at its statement's end."""

import ast
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from contracts.finding import Finding
from engines.review.flow.parsing import Unparsable, parse

_COMMENT = re.compile(r"#\s*fsdp:\s*ignore\[([A-Z0-9, ]+)\]\s*(.*)$")
_ANY = re.compile(r"(?<![`'\"])#\s*fsdp:\s*ignore(?![\w-])")
UNUSED = "RV001"
WITHOUT_REASON = "RV002"
WITHOUT_RULE = "RV003"


class Suppression(NamedTuple):
    """One comment."""

    line: int
    """1-based line of the comment."""
    covers: int
    """Line whose findings it silences."""
    rules: frozenset[str]
    """Empty for a comment that names none, which silences nothing."""
    reason: str
    first: int = 0
    """First line of the statement that ends with the comment, whose findings it silences too; 0 for none."""

    def silences(self, finding: Finding) -> bool:
        """Tell whether a finding is one that is not to be reported."""
        lines = (self.covers, self.line)
        within = finding.line in lines or 0 < self.first <= finding.line <= self.line
        return finding.rule in self.rules and within


def suppressions(text: str, idle: Collection[str] = ()) -> list[Suppression]:
    """Return the suppressions of a file; one on a line of its own covers the next line.

    Args:
        text: The file's text.
        idle: Rules that are not applied; a comment for these alone is neither used nor unused.
    """
    if "fsdp:" not in text:
        return []
    found = []
    begins = _statements(text)
    for number, line in enumerate(text.splitlines(), start=1):
        match = _COMMENT.search(line)
        if match is None and _ANY.search(line):
            found.append(Suppression(number, number, frozenset(), ""))
        elif match is not None:
            alone = line[: match.start()].strip() == ""
            rules = frozenset(rule.strip() for rule in match[1].split(",") if rule.strip())
            if rules and rules <= set(idle):
                continue
            found.append(
                Suppression(
                    number,
                    number + 1 if alone else number,
                    rules,
                    match[2].strip(),
                    0 if alone else begins.get(number, 0),
                )
            )
    return found


def _statements(text: str) -> dict[int, int]:
    """Return the first line of each statement of several lines by its last one, of a compound one up to its body.

    Empty for what is no Python.
    """
    try:
        tree = parse(text, "")
    except Unparsable:
        return {}
    found: dict[int, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if last > node.lineno:
                found[last] = min(node.lineno, found.get(last, node.lineno))
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
        covering = [comment for comment in comments.get(finding.file, ()) if comment.silences(finding)]
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
    if not rules:
        return Finding(
            rule=WITHOUT_RULE,
            slug="suppression-without-rule",
            severity="advice",
            file=path,
            line=comment.line,
            message="this comment names no rule and silences nothing",
            fix="Name the rule and the reason: # fsdp: ignore[FSDP001] reason.",
        )
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
