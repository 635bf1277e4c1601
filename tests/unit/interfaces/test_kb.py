import json
import sys

import pytest

from contracts.errors import RequestInvalid
from interfaces.cli.main import run_command
from interfaces.service_kb import list_cards, search_cards, show_card, verify_cards
from knowledge.cards import cards
from knowledge.verification import recorded_versions


def test_a_list_holds_what_meets_every_condition() -> None:
    assert [row.card for row in list_cards().cards] == list(cards())
    found = list_cards(kind="pitfall", applies_to=["checkpoint"], torch="2.13").cards
    assert "collective-under-rank-guard" in [row.card for row in found]
    for row in found:
        assert row.kind == "pitfall"
        assert "checkpoint" in row.applies_to
        assert cards()[row.card].holds_in("2.13")


def test_a_card_comes_with_its_records() -> None:
    found = show_card("root-not-sharded")
    assert found.card == cards()["root-not-sharded"]
    assert found.recorded["2.13.0"] == "held"
    assert list(found.recorded) == [torch for torch in recorded_versions() if torch in found.recorded]


def test_an_unknown_card_is_refused_with_the_nearest() -> None:
    with pytest.raises(RequestInvalid, match="root-not-sharde'") as caught:
        show_card("root-not-sharde")
    assert "root-not-sharded" in caught.value.hint


@pytest.mark.parametrize(("query", "torch"), [("", None), ("  ", None), ("fully_shard", "latest")])
def test_a_search_without_sense_is_refused(query: str, torch: str | None) -> None:
    with pytest.raises(RequestInvalid):
        search_cards(query, torch=torch)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"kind": "nosuch"}, "pitfall"),
        ({"applies_to": ["fsdp3"]}, "fsdp2"),
        ({"torch": "99"}, "leave --torch out"),
        ({"torch": "1.4"}, "leave --torch out"),
    ],
)
def test_a_filter_that_no_card_can_meet_is_refused_with_what_is_allowed(given: dict, says: str) -> None:
    with pytest.raises(RequestInvalid) as refused:
        list_cards(**given)
    assert says in refused.value.hint


@pytest.mark.train
def test_verification_tells_each_card_its_verdict() -> None:
    seen = []
    slugs = ["fully-shard-basics", "tied-params-split-groups-silent"]
    found = verify_cards(slugs, progress=lambda verdict: seen.append(verdict.card))
    verdicts = {verdict.card: verdict for verdict in found.verdicts}
    assert found.interpreter == sys.executable
    assert verdicts["fully-shard-basics"].verdict == "held"
    assert verdicts["fully-shard-basics"].observed["class"] == "FSDPNet"
    assert verdicts["fully-shard-basics"].seconds > 0
    assert verdicts["tied-params-split-groups-silent"].verdict == "not_applicable"
    assert sorted(seen) == sorted(slugs)
    assert found.counts == {"held": 1, "not_applicable": 1}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["kb", "list"], 0),
        (["kb", "search", "optimizer built before fully_shard"], 0),
        (["kb", "search", "zzz qqq"], 3),
        (["kb", "show", "root-not-sharded"], 0),
        (["kb", "show", "no-such-card"], 2),
        (["kb", "verify", "no-such-card"], 2),
        (["kb", "verify", "root-not-sharded", "--torch-python", "/no/such/python"], 2),
    ],
)
def test_the_commands_answer_in_json_and_for_people(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command([*arguments, "--json"]) == code
    answer = json.loads(capsys.readouterr().out)
    assert ("error" in answer) is (code == 2)
    assert run_command(arguments) == code
    said = capsys.readouterr()
    assert said.out or said.err
