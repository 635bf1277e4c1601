"""Questions in the form of the development cases, with the cards that an expert would open first."""

import time
from pathlib import Path

import pytest

from engines.answers.ask import answer_question
from engines.answers.score import QuestionScore, read_questions, report, score_question
from knowledge.cards import cards

ROWS = read_questions(Path(__file__).parents[3] / "cases" / "questions" / "own.jsonl")
INSIDE = [row for row in ROWS if not row.get("out_of_scope")]
RETRIEVED_MIN = 0.94
RIGHT_MIN = 0.93
FIRST_CARD_MIN = 0.92
SECONDS_MAX = 0.6


@pytest.fixture(scope="module")
def scores() -> list[QuestionScore]:
    return [score_question(row) for row in ROWS]


def test_everything_out_of_scope_is_refused(scores: list[QuestionScore]) -> None:
    outside = [score for score in scores if score.outside]
    assert len(outside) >= 30
    assert all(score.right for score in outside), report(outside)


def test_hardly_any_question_of_the_field_is_refused() -> None:
    refused = [row["question"] for row in INSIDE if not answer_question(row["question"]).covered]
    assert len(refused) <= 0.02 * len(INSIDE), refused


def test_retrieval_and_answers(scores: list[QuestionScore]) -> None:
    inside = [score for score in scores if not score.outside]
    assert sum(score.retrieved for score in inside) >= RETRIEVED_MIN * len(inside), report(scores)
    assert sum(score.right for score in inside) >= RIGHT_MIN * len(inside), report(scores)


def test_the_first_card_is_one_that_an_expert_would_open() -> None:
    """Stricter than the patterns, which a neighbour's claim can satisfy by chance."""
    wrong = []
    for row in INSIDE:
        citations = answer_question(row["question"]).citations
        if not citations or citations[0].card not in row["cards"]:
            wrong.append((row["question"], [cited.card for cited in citations]))
    assert len(wrong) <= (1 - FIRST_CARD_MIN) * len(INSIDE), wrong


def test_the_accepted_cards_exist() -> None:
    assert {slug for row in INSIDE for slug in row["cards"]} <= set(cards())


def test_an_answer_takes_little_time() -> None:
    answer_question(INSIDE[0]["question"])  # builds the index
    began = time.process_time()
    for row in INSIDE[:20]:
        answer_question(row["question"])
    assert (time.process_time() - began) / 20 < SECONDS_MAX
