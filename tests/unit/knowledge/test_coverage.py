"""Whatever the agent asserts has a card: rules, causes, reasons of a plan."""

import json
import re
from pathlib import Path

import pytest

from engines.diagnosis.registry import cause_rules
from engines.review.registry import entries
from engines.review.rule import Hit
from knowledge.cards import cards

ROOT = Path(__file__).parents[3]
USED_BY = {user for card in cards().values() for user in card.used_by}


@pytest.mark.parametrize("rule", [entry.rule.id for entry in entries()])
def test_every_rule_has_a_card(rule: str) -> None:
    assert rule in USED_BY


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.rule.id)
def test_the_cards_that_a_finding_names_exist(entry) -> None:
    named = entry.rule.finding(Hit("x.py", 1, 1, "wrong")).cards
    assert named
    assert set(named) <= set(cards())


@pytest.mark.parametrize("slug", sorted(rule.cause for rule in cause_rules()))
def test_every_cause_has_a_card(slug: str) -> None:
    assert f"cause:{slug}" in USED_BY


def test_the_right_answers_of_the_cases_are_causes_that_have_a_card() -> None:
    lines = (ROOT / "tests/cases/failures/dev.jsonl").read_text(encoding="utf-8").splitlines()
    for case in map(json.loads, lines):
        if case["root_cause_key"]:
            assert f"cause:{case['root_cause_key']}" in USED_BY, case["id"]


def test_the_cards_that_the_reasons_of_a_plan_name_exist() -> None:
    source = (ROOT / "engines/sizing/decisions.py").read_text(encoding="utf-8")
    named = {
        slug for group in re.findall(r"cards=\(([^)]*)\)", source) for slug in re.findall(r'"([a-z0-9-]+)"', group)
    }
    assert len(named) >= 8
    assert named - {"activation_checkpointing"} <= set(cards())
