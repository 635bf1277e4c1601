"""The pages that ship are those that the cards make, and say what the cards say."""

import re
from pathlib import Path

from knowledge.cards import cards
from knowledge.pages import FOLDER, pages, write
from knowledge.verification import recorded_versions

NEWEST = recorded_versions()[-1]


def test_the_pages_are_those_of_the_cards() -> None:
    kept = {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.md")}
    wanted = pages(cards())
    stale = sorted(name for name in wanted.keys() | kept.keys() if wanted.get(name) != kept.get(name))
    assert stale == [], "run: make docs"


def test_a_page_holds_all_of_its_card() -> None:
    page = pages(cards())["cards/optimizer-before-shard.md"]
    card = cards()["optimizer-before-shard"]
    for text in (card.title, card.claim, card.what, card.why, card.what_to_do, card.code, card.sources[0].url):
        assert text in page


def test_every_card_is_in_the_index() -> None:
    index = pages(cards())["README.md"]
    assert all(f"(cards/{slug}.md)" in index for slug in cards())


def test_what_does_not_hold_in_the_newest_torch_is_listed_with_what_does() -> None:
    lines = pages(cards())["outdated.md"].splitlines()
    for slug, card in cards().items():
        rows = [line for line in lines if line.startswith(f"| [{card.title}]")]
        assert len(rows) == (0 if card.holds_in(NEWEST) else 1), slug
        heirs = [other for other in card.in_other_versions if cards()[other].holds_in(NEWEST)]
        assert all(f"(cards/{heir}.md)" in row for heir in heirs for row in rows), slug


def test_what_cards_correct_is_listed() -> None:
    page = pages(cards())["outdated.md"]
    beliefs = [belief for card in cards().values() for belief in card.corrects]
    assert beliefs
    assert all(belief in page for belief in beliefs)


def test_every_link_inside_leads_to_a_page_and_no_cell_is_broken() -> None:
    made = pages(cards())
    for name, text in made.items():
        for target in re.findall(r"\]\((?!https:|#)([^)]+)\)", text):
            path = (FOLDER / name).parent / target
            inside = path.resolve().relative_to(FOLDER.resolve().parents[1]).as_posix()
            assert inside.removeprefix("docs/knowledge/") in made or (FOLDER.parents[1] / inside).is_file(), target
    rows = [line for line in made["outdated.md"].splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}


def test_the_page_of_a_card_that_is_gone_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "gone.md").write_text("old")
    write(tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")} == set(pages(cards()))
