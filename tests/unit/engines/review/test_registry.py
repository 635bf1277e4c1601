"""The rules as a whole: ids, names, versions."""

import re

import pytest

from engines.review.engine import review_source
from engines.review.registry import NOT_DECIDABLE, by_id, entries

RULES_WITH_A_CHECK = 135


def test_ids_and_slugs_are_unique_and_well_formed() -> None:
    rules = [entry.rule for entry in entries()]
    assert len(rules) == RULES_WITH_A_CHECK
    assert len({rule.id for rule in rules}) == len(rules)
    assert len({rule.slug for rule in rules}) == len(rules)
    assert all(re.fullmatch(r"(FSDP|HF|LT|TT|TU|AX|LN|KF)\d{3}", rule.id) for rule in rules)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.slug) and rule.fix for rule in rules)


def test_what_is_not_decidable_has_a_reason_and_no_rule() -> None:
    assert all(reason for reason in NOT_DECIDABLE.values())
    assert not set(NOT_DECIDABLE) & {entry.rule.id for entry in entries()}


def test_a_rule_is_found_by_its_id() -> None:
    assert by_id("FSDP040").rule.slug == "collective-under-rank-guard"
    with pytest.raises(KeyError):
        by_id("FSDP999")


IMPORT = "from torch.distributed.fsdp import fully_shard\n\n\ndef go(model):\n    fully_shard(model)\n"


@pytest.mark.parametrize(
    ("torch", "found"), [("2.5", {"FSDP120"}), ("2.6", set()), ("2.13.0+cu128", set()), (None, set())]
)
def test_the_version_changes_what_is_said(torch: str | None, found: set[str]) -> None:
    assert {finding.rule for finding in review_source(IMPORT, "train.py", torch)} == found
