import inspect
from pathlib import Path

import pytest

from engines.answers.ask import answer_question
from engines.answers.scope import is_covered, scope_of
from knowledge.cards import Cards, cards
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


def test_the_names_of_the_api_are_words_of_the_field() -> None:
    """Whatever the installed torch calls its FSDP2 methods and arguments."""
    from torch.distributed.checkpoint.state_dict import StateDictOptions
    from torch.distributed.fsdp import FSDPModule, FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard

    names = {name for name in vars(FSDPModule) if not name.startswith("_")}
    for signed in (fully_shard, FullyShardedDataParallel, StateDictOptions, MixedPrecisionPolicy):
        names |= set(inspect.signature(signed).parameters)
    compound = {name for name in names if "_" in name} - {"device_id", "mixed_precision"}  # of other fields too
    assert {"shard_placement_fn", "set_is_last_backward"} <= compound
    assert {name for name in compound if not scope_of(f"What does {name} do?").inside} == set()


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("Does fully_shard need a mesh?", "field"),
        ("Why is the loss different on each rank?", "several_topic"),
        ("How much memory does this model take?", "one_kind"),
        ("What is a good name for a cat?", "none"),
        ("Is fully_shard faster than Megatron?", "disputed"),
        ("How do I serve this model with vLLM?", "foreign"),
        ("How do I train a ResNet classifier?", "none"),
    ],
)
def test_the_words_are_evidence_for_or_against_the_field(question: str, evidence: str) -> None:
    assert scope_of(question).evidence == evidence


@pytest.mark.parametrize(
    "question",
    ["port conflict when launching two jobs", "How much /dev/shm does a container need?", "exitcode -9 for rank 3"],
)
def test_a_close_card_covers_a_question_without_a_word_of_the_field(question: str) -> None:
    assert scope_of(question).evidence != "field"
    assert answer_question(question).covered


def test_a_foreign_word_outweighs_a_single_word_of_the_field(tmp_path: Path) -> None:
    assert not covered_by_root_card(tmp_path, "Is the root sharded by FSDP in vLLM?", "")


@pytest.mark.parametrize(("says", "covered"), [("", False), (" It also names Megatron.", True)])
def test_a_foreign_word_that_the_best_card_speaks_of_is_harmless(tmp_path: Path, says: str, covered: bool) -> None:
    question = "Is the root sharded by fully_shard as in Megatron?"
    assert covered_by_root_card(tmp_path, question, says) is covered


def covered_by_root_card(folder: Path, question: str, says: str) -> bool:
    """Ask a knowledge base of one card, whose text goes on with what it `says`."""
    text = cards().path("root-not-sharded").read_text(encoding="utf-8").replace("## Why\n", f"## Why\n{says}")
    (folder / "cards").mkdir()
    (folder / "cards" / "root-not-sharded.md").write_text(text, encoding="utf-8")
    index = Index(Cards(folder))
    return is_covered(question, index.search(question), index)
