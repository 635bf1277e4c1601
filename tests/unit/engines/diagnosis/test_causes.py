"""Every cause is complete: its file, its signs, its card."""

import re
from pathlib import Path

import pytest

from engines.diagnosis import causes
from engines.diagnosis.cause import CauseRule, compiled
from engines.diagnosis.registry import cause_rules
from engines.diagnosis.wording import card_text
from knowledge.cards import cards


def known_causes() -> set[str]:
    """The causes that the knowledge base speaks of."""
    users = {user for card in cards().values() for user in card.used_by}
    return {user.removeprefix("cause:") for user in users if user.startswith("cause:")}


def test_there_is_a_cause_for_each_that_a_card_explains() -> None:
    assert {rule.cause for rule in cause_rules()} == known_causes()


@pytest.mark.parametrize("rule", cause_rules(), ids=lambda rule: rule.cause)
def test_a_cause_has_a_file_signs_and_its_card(rule: CauseRule) -> None:
    (folder,) = causes.__path__
    assert (Path(folder) / f"{rule.cause.replace('-', '_')}.py").is_file()
    assert f"cause:{rule.cause}" in cards()[rule.card].used_by
    claim, fix = card_text(rule.card)
    assert claim
    assert fix
    assert rule.confirm, "how to see that it was this cause"
    assert any(sign.weight > 0 for sign in rule.signs)
    for sign in rule.signs:
        for part in sign.parts:
            assert part == re.sub(r"(?<!\\)[A-Z]", "", part), "the text is in lower case"
            assert compiled(part).search("") is None, "a pattern that fits nothing says nothing"


def test_a_cause_has_inputs_of_our_own_also_such_as_look_like_it_and_are_another() -> None:
    import json
    from collections import Counter

    folder = Path(__file__).parents[3] / "cases" / "failures"
    own: Counter[str] = Counter()
    lookalikes = set()
    for name in ("own.jsonl", "wide.jsonl"):
        for row in map(json.loads, (folder / name).read_text(encoding="utf-8").splitlines()):
            own[row["root_cause_key"]] += 1
            if row.get("near_miss_of"):
                lookalikes.add(row["near_miss_of"])
    known = {rule.cause for rule in cause_rules()}
    told_by_a_plan = {"memory-exceeds-gpu"}  # see test_context.py
    assert [cause for cause in known - told_by_a_plan if own[cause] < 3] == []
    assert known - lookalikes == set()
    assert lookalikes <= known


@pytest.mark.parametrize("text", ["no summon_full_params, no offload", "without summon_full_params without offload"])
def test_what_a_text_says_is_not_there_is_no_sign(text: str) -> None:
    from engines.diagnosis.reading import read_text
    from engines.diagnosis.text import Text

    found = Text(read_text(text).lines)
    assert not found.where("summon_full_params")
    assert not found.where("offload")
    assert Text(read_text("offload, no offload").lines).where("offload") == [0]
