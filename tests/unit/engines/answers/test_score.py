import json
from pathlib import Path

import pytest

from engines.answers.score import TOP, QuestionScore, read_questions, report, score_question
from knowledge.cards import cards
from knowledge.search import index

QUESTIONS = Path(__file__).parents[3] / "cases" / "questions"
CASES = QUESTIONS / "dev.jsonl"
FIELD = [line.split("\t") for line in (QUESTIONS / "field.tsv").read_text(encoding="utf-8").splitlines()]
"""(card, question): what an engineer would ask about parts of the field that no other case touches."""
RETRIEVED_MIN = 0.95
RIGHT_MIN = 0.90
FIELD_MIN = 0.90
UNUSED_MAX = 0.05


@pytest.fixture(scope="module")
def scores() -> list[QuestionScore]:
    return [score_question(row) for row in read_questions(CASES)]


def test_everything_out_of_scope_is_refused(scores: list[QuestionScore]) -> None:
    outside = [score for score in scores if score.outside]
    assert outside
    assert all(score.right for score in outside), report(outside)


def test_the_first_three_cards_hold_the_answer(scores: list[QuestionScore]) -> None:
    inside = [score for score in scores if not score.outside]
    assert sum(score.retrieved for score in inside) >= RETRIEVED_MIN * len(inside), report(scores)


def test_the_answers_are_right(scores: list[QuestionScore]) -> None:
    inside = [score for score in scores if not score.outside]
    assert sum(score.right for score in inside) >= RIGHT_MIN * len(inside), report(scores)


def test_questions_about_the_whole_field_find_their_card() -> None:
    missed = [
        (slug, question, found)
        for slug, question in FIELD
        if slug not in (found := [hit.card.slug for hit in index().search(question, limit=TOP)])
    ]
    assert len(missed) <= (1 - FIELD_MIN) * len(FIELD), missed


def test_hardly_any_card_is_of_no_use() -> None:
    """A card is of use to a rule, a cause, a decision, or a question that finds it."""
    used = {card.slug for card in cards().values() if card.used_by}
    questions = [row["question"] for row in read_questions(CASES)] + [question for _, question in FIELD]
    used |= {hit.card.slug for question in questions for hit in index().search(question, limit=TOP)}
    unused = sorted(set(cards()) - used)
    assert len(unused) <= UNUSED_MAX * len(cards()), unused


def test_the_score_sees_what_is_wrong(tmp_path: Path) -> None:
    row = {
        "id": "made-up",
        "question": "What is the default reduce_dtype in FSDP2?",
        "torch_version": "2.13",
        "must_contain": [["bf16"], ["no card says this"]],
        "must_not_contain": ["reduce-scatter"],
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n\n", encoding="utf-8")
    (score,) = [score_question(found) for found in read_questions(path)]
    assert not score.right
    assert score.lacking == ("one of ['no card says this']", "no 'reduce-scatter'")
    assert "answers right: 0/1 (0 %)" in report([score])
