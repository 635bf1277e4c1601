import ast
import re
import textwrap
import time
from pathlib import Path

import pytest

from contracts.errors import RequestInvalid
from knowledge.cards import FOLDER, Cards, cards, read_card

SECONDS_PER_CARD_MAX = 0.005
"""Many times what a card takes; 200 of them then load within a second."""

GOOD = """\
---
title: A good card
claim: >-
  fully_shard changes the module in place, which this sentence says at length.
kind: concept
applies_to: [fsdp2]
torch: ">=2.6"
sources:
  - url: https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
    title: fully_shard
    says: It works in place.
evidence: documented
unprobed: it is here to be broken
---
## What

What it says, in more detail.

## Why

Because it is so, for this reason.

## What to do

Do the right thing.
"""


def write(folder: Path, text: str, name: str = "good-card") -> Path:
    path = folder / "cards" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path) -> str:
    with pytest.raises(RequestInvalid) as caught:
        Cards(folder).check()
    return caught.value.message


def test_a_good_card_is_read_whole(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    card = Cards(tmp_path)["good-card"]
    assert card.claim == "fully_shard changes the module in place, which this sentence says at length."
    assert card.what == "What it says, in more detail."
    assert card.advice == "Do the right thing."
    assert card.code == ""


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        pytest.param(
            "sources:\n  - url: https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html\n"
            "    title: fully_shard\n    says: It works in place.\n",
            "sources: []\n",
            8,
            "sources",
            id="no source",
        ),
        pytest.param("url: https://", "url: file://", 9, "sources.0.url", id="no address"),
        pytest.param('torch: ">=2.6"', 'torch: "newer than 2.6"', 7, "no version specifier", id="bad specifier"),
        pytest.param('torch: ">=2.6"', 'torch: ""', 7, "specifier", id="empty specifier"),
        pytest.param(
            "unprobed: it is here to be broken", "probe: no_such_probe", 13, "unknown probe", id="unknown probe"
        ),
        pytest.param("unprobed: it is here to be broken\n", "", 1, "either probe", id="neither probe nor reason"),
        pytest.param("evidence: documented", "evidence: probed", 1, "there is no probe", id="probed without probe"),
        pytest.param("evidence: documented", "evidence: rumoured", 12, "evidence", id="unknown evidence"),
        pytest.param("kind: concept", "kind: rumour", 5, "kind", id="unknown kind"),
        pytest.param("kind: concept\n", "kind: concept\nkind: api\n", 5, "duplicate key", id="key twice"),
        pytest.param("kind: concept\n", "kind: concept\nmood: good\n", 6, "mood", id="unknown key"),
        pytest.param("[fsdp2]", "[fsdp2, fsdp3]", 6, "applies_to.1", id="unknown subject"),
        pytest.param(
            "kind: concept\n", "kind: concept\nrelated: [nobody]\n", 6, "unknown card", id="unknown neighbour"
        ),
        pytest.param("kind: concept\n", "kind: concept\nused_by: [FSDP1]\n", 6, "'FSDP1'", id="bad user"),
        pytest.param("in place, which", "in place " + "very " * 70 + "which", 3, "words", id="long claim"),
        pytest.param("at length.", "at length", 3, "full stop", id="no sentence"),
        pytest.param("## Why", "## Because", 19, "Because", id="unknown heading"),
        pytest.param("## Why\n\nBecause it is so, for this reason.\n\n", "", 1, "why", id="heading missing"),
        pytest.param("title: A good card", "title: [", 3, "YAML", id="no YAML"),
        pytest.param("---\ntitle", "title", 1, "front matter", id="no front matter"),
    ],
)
def test_a_broken_card_is_refused_with_its_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    message = refusal(tmp_path)
    assert message.startswith(f"{path}:{line}: "), message
    assert words in message


def test_an_id_is_given_once(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, GOOD, "sub/good-card")
    assert "duplicate id 'good-card'" in refusal(tmp_path)


def test_a_title_is_given_once(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    second = write(tmp_path, GOOD, "second-card")
    assert refusal(tmp_path) == f"{second}:2: duplicate title: good-card has it too"


def test_cards_of_other_versions_name_each_other_and_do_not_overlap(tmp_path: Path) -> None:
    def pair(torch: str, back: str) -> None:
        write(tmp_path, GOOD.replace("kind:", "in_other_versions: [old-card]\nkind:"))
        old = GOOD.replace("A good card", "An old card").replace(">=2.6", torch).replace("kind:", f"{back}kind:")
        write(tmp_path, old, "old-card")

    pair("<2.6", "")
    assert "does not name good-card in turn" in refusal(tmp_path)
    pair("<2.9", "in_other_versions: [good-card]\n")
    assert "hold in torch 2.6" in refusal(tmp_path)
    pair("<2.6", "in_other_versions: [good-card]\n")
    Cards(tmp_path).check()


def test_the_versions_of_a_claim(tmp_path: Path) -> None:
    card = read_card(write(tmp_path, GOOD.replace(">=2.6", ">=2.6,<2.13")))
    assert card.holds_in("2.6")
    assert card.holds_in("2.12.1+cu130")
    assert not card.holds_in("2.13.0+cpu")
    assert not card.holds_in("2.13.0.dev20260101")


def test_the_cards_load_in_a_moment() -> None:
    """Processor time, not the clock: other programs may be running."""
    seconds = []
    for _ in range(3):
        started_s = time.process_time()
        loaded = len(Cards())
        seconds.append(time.process_time() - started_s)
    assert min(seconds) / loaded < SECONDS_PER_CARD_MAX


def test_what_the_cards_say_about_each_other_holds() -> None:
    cards().check()


def test_the_code_of_every_card_is_python() -> None:
    for card in cards().values():
        for block in re.findall(r"```python\n(.*?)```", card.code + card.what_to_do + card.what, re.DOTALL):
            ast.parse(textwrap.dedent(block))


def test_every_probe_belongs_to_a_card() -> None:
    used = {card.probe for card in cards().values()}
    assert {path.stem for path in (FOLDER / "probes").glob("[!_]*.py")} <= used
