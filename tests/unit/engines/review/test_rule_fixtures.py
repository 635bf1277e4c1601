"""Each rule finds its mistake in the bad fixtures, on the marked lines, and nothing in the good ones."""

import re
from pathlib import Path

import pytest

from contracts.review import ReviewSettings
from engines.review.engine import review_paths
from engines.review.registry import entries

FIXTURES = Path(__file__).parents[3] / "cases" / "review_rules"
MARK = re.compile(r"<- ([A-Z]{2,4}\d{3})")


def _fixtures(kind: str) -> list[Path]:
    return sorted(FIXTURES.glob(f"*/{kind}_*"))


def _marked(path: Path) -> set[tuple[str, int, str]]:
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return {
        (str(file), number, rule)
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        for rule in MARK.findall(line)
    }


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", _fixtures("bad"), ids=_name)
def test_bad_code_is_found_on_its_line(path: Path) -> None:
    marked = _marked(path)
    assert marked, "a bad fixture marks its lines"
    result = review_paths([path])
    assert not result.unreadable
    assert not result.not_followed
    found = {(finding.file, finding.line, finding.rule) for finding in result.findings}
    assert marked <= found
    errors = {(f.file, f.line, f.rule) for f in result.findings if f.severity == "error"}
    assert errors <= marked, "no other error"


@pytest.mark.parametrize("path", _fixtures("good"), ids=_name)
def test_good_code_is_left_alone(path: Path) -> None:
    rule = path.parent.name
    result = review_paths([path])
    assert not result.unreadable
    assert not result.not_followed
    assert [f for f in result.findings if f.rule == rule or f.severity == "error"] == []


@pytest.mark.parametrize("path", _fixtures("bad"), ids=_name)
def test_with_its_rule_off_a_bad_fixture_would_fail(path: Path) -> None:
    off = review_paths([path], settings=ReviewSettings(ignore=(path.parent.name,)))
    found = {(finding.file, finding.line, finding.rule) for finding in off.findings}
    assert not _marked(path) <= found


@pytest.mark.parametrize("rule", [entry.rule.id for entry in entries()])
def test_every_rule_has_fixtures(rule: str) -> None:
    folder = FIXTURES / rule
    assert len(list(folder.glob("bad_*"))) >= 2
    assert len(list(folder.glob("good_*"))) >= 2
