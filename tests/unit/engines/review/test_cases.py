"""The project's cases: every expected finding on its line, and no other error."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.finding import Finding
from engines.review.engine import review_paths
from engines.review.registry import entries

CASES = Path(__file__).parents[3] / "cases" / "review"
EXPECTED = [json.loads(line) for line in (CASES / "expected.jsonl").read_text().splitlines()]
KNOWN = {entry.rule.id for entry in entries()}
LINES_OFF = 2


def _acceptable(case: dict[str, Any]) -> list[tuple[str, int]]:
    """Return (rule, line) of everything that may be found."""
    lines = (CASES / case["file"]).read_text().splitlines()
    places = [(fault["rule"], fault["line"]) for fault in case["faults"]]
    for entry in case["also_acceptable"]:
        rule, _, text = entry.partition("@")
        places += [(rule, number) for number, line in enumerate(lines, start=1) if text in line]
    return places


def _matches(finding: Finding, rule: str, line: int) -> bool:
    return finding.rule == rule and abs(finding.line - line) <= LINES_OFF


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case["file"])
def test_case(case: dict[str, Any]) -> None:
    result = review_paths([CASES / case["file"]])
    assert not result.unreadable
    acceptable = _acceptable(case)
    for fault in case["faults"]:
        if fault["rule"] in KNOWN:
            places = [place for place in acceptable if place[0] == fault["rule"]]
            assert any(_matches(found, *place) for found in result.findings for place in places), fault
    stray = [f for f in result.findings if f.severity == "error" and not any(_matches(f, *p) for p in acceptable)]
    assert stray == []
