from pathlib import Path

import pytest

from engines.answers.ask import answer_question
from engines.answers.scope import is_covered, scope_of
from knowledge.cards import FOLDER, Cards, cards
from knowledge.search import Index

CASES = Path(__file__).parents[3] / "cases" / "questions"
OUTSIDE = (CASES / "outside.txt").read_text(encoding="utf-8").splitlines()
INSIDE = (CASES / "inside.txt").read_text(encoding="utf-8").splitlines()


def test_there_are_enough_of_both() -> None:
    assert len(set(OUTSIDE)) >= 40
    assert len(set(INSIDE)) >= 30


@pytest.mark.parametrize("question", OUTSIDE)
def test_questions_of_other_fields_are_refused(question: str) -> None:
    answer = answer_question(question)
    assert not answer.covered
    assert "not covered" in answer.answer
    assert answer.citations == ()


@pytest.mark.parametrize("question", INSIDE)
def test_questions_of_the_field_are_recognised_by_their_words(question: str) -> None:
    assert scope_of(question).inside


def test_a_foreign_word_outweighs_a_single_word_of_the_field() -> None:
    assert not answer_question("Does vLLM use NCCL?").covered


@pytest.mark.parametrize(("says", "covered"), [("", False), (" It also names Megatron.", True)])
def test_a_foreign_word_that_the_best_card_speaks_of_is_harmless(tmp_path: Path, says: str, covered: bool) -> None:
    source = cards().path("root-not-sharded").read_text(encoding="utf-8")
    (tmp_path / "cards").mkdir()
    text = source.replace("related: [fully-shard-basics]\n", "").replace("## Why\n", f"## Why\n{says}")
    (tmp_path / "cards" / "root-not-sharded.md").write_text(text, encoding="utf-8")
    (tmp_path / "probes").symlink_to(FOLDER / "probes")
    index = Index(Cards(tmp_path))
    question = "Is the root sharded by fully_shard as in Megatron?"
    assert is_covered(question, index.search(question), index) is covered
