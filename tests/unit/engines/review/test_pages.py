"""The pages of the rules are those that the rules make, and a new rule can be begun."""

import ast
import re
from pathlib import Path

import pytest

from engines.review.pages import FOLDER, pages
from engines.review.registry import entries
from engines.review.scaffold import scaffold


def test_the_pages_are_those_that_the_rules_make() -> None:
    wanted = pages()
    assert {name for name in wanted if name.startswith("rules/")} == {
        f"rules/{file.name}" for file in (FOLDER / "rules").glob("*.md")
    }
    for name, text in wanted.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: run make docs"


def test_every_link_of_a_page_leads_somewhere() -> None:
    for name in (*pages(), "first-step.md"):
        text = (FOLDER / name).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            assert ((FOLDER / name).parent / link).exists(), (name, link)


def test_every_rule_has_a_reason_and_an_example() -> None:
    for entry in entries():
        text = pages()[f"rules/{entry.rule.id}.md"]
        assert "## Found" in text, entry.rule.id
        assert "**What to change.**" in text


def test_a_new_rule_is_begun_and_is_not_yet_one(tmp_path: Path) -> None:
    files = scaffold("FSDP999", "a-new-rule", "warning", tmp_path / "rules", tmp_path / "fixtures")
    assert [file.name for file in files] == [
        "a_new_rule.py",
        "bad_plain.py",
        "bad_helper.py",
        "good_plain.py",
        "good_guarded.py",
    ]
    for file in files:
        ast.parse(file.read_text())
    assert 'severity="warning"' in files[0].read_text()
    with pytest.raises(FileExistsError):
        scaffold("FSDP999", "a-new-rule", "warning", tmp_path / "rules", tmp_path / "fixtures")
    with pytest.raises(ValueError, match="no id"):
        scaffold("FSDP", "a-new-rule", "error", tmp_path, tmp_path)
    with pytest.raises(ValueError, match="no slug"):
        scaffold("FSDP998", "A_rule", "error", tmp_path, tmp_path)
