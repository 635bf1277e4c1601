import pytest

from contracts.errors import RequestInvalid
from engines.answers.ask import answer_question
from engines.answers.wording import WORDS_MAX
from knowledge.cards import cards


def test_an_answer_is_the_claim_of_the_card_with_its_citation() -> None:
    answer = answer_question("My loss does not move at all since I added fully_shard; AdamW is created before. Why?")
    card = cards()["optimizer-before-shard"]
    assert answer.covered
    assert card.claim in answer.answer
    assert card.advice in answer.answer
    assert answer.citations[0].card == card.slug
    assert answer.citations[0].source == card.sources[0].url
    assert answer.citations[0].evidence == "probed"
    assert answer.confidence > 0.5


def test_every_sentence_is_of_a_cited_card() -> None:
    answer = answer_question("Do I have to call fully_shard on the root as well?", torch="2.13")
    text = answer.answer.removeprefix("torch 2.13:")
    for citation in answer.citations:
        card = cards()[citation.card]
        for part in (f"{card.claim} {card.advice}", f"[{card.slug}]"):
            for sentence in part.split(". "):
                text = text.replace(sentence.rstrip("."), "")
    assert text.strip(" .\n") == ""


def test_it_says_which_torch_it_speaks_of() -> None:
    assert answer_question("What is the default reduce_dtype in FSDP2?", torch="2.13").torch == "2.13"
    assert answer_question("What is the default reduce_dtype of FSDP2 in torch 2.12?").answer.startswith("torch 2.12:")


def test_the_version_decides_between_contradicting_cards() -> None:
    question = "What happens to tied weights in two fully_shard groups?"
    new, old = "tied-params-split-groups", "tied-params-split-groups-silent"
    for torch, slug, other in (("2.13", new, old), ("2.9", old, new)):
        cited = [citation.card for citation in answer_question(question, torch).citations]
        assert slug in cited
        assert other not in cited


def test_without_a_version_contradicting_cards_are_both_shown() -> None:
    answer = answer_question("What happens to tied embedding and lm_head in two fully_shard groups?")
    assert {c.card for c in answer.citations} == {"tied-params-split-groups", "tied-params-split-groups-silent"}
    assert "torch >=2.12:" in answer.answer
    assert "torch >=2.4,<2.12:" in answer.answer
    assert len(answer.answer.split()) <= WORDS_MAX


def test_a_version_that_no_card_speaks_of_is_said() -> None:
    answer = answer_question("What does fully_shard do to the type of my module?", torch="2.0")
    assert not answer.covered
    assert "not covered for torch 2.0" in answer.answer


def test_a_numeric_question_gets_arithmetic_and_what_it_leaves_out() -> None:
    answer = answer_question("How many GB of model state per GPU for a 13B model over 8 GPUs with FSDP?")
    assert "26 GB per GPU" in answer.answer
    assert "activations" in answer.answer
    assert answer.citations[0].card == "model-state-bytes"


@pytest.mark.parametrize(
    "question",
    [
        "fully_shard " * 2000,
        "What is the default reduce_dtype in FSDP2?\n" + "log line\n" * 5000,
        "\x1b[31mfully_shard\x00 root",
        "fully_shard (((((" + "[" * 500,
    ],
)
def test_strange_questions_are_only_questions(question: str) -> None:
    assert len(answer_question(question).answer.split()) <= WORDS_MAX


def test_no_question_is_refused() -> None:
    with pytest.raises(RequestInvalid, match="empty"):
        answer_question("  \n")


def test_no_version_is_refused() -> None:
    with pytest.raises(RequestInvalid, match="no version"):
        answer_question("What does fully_shard do?", torch="newest")


def test_every_card_fits_an_answer() -> None:
    """Claim and advice of any card, with version and citation, stay within the words."""
    for card in cards().values():
        assert len(f"torch 2.13: {card.claim} {card.advice} [{card.slug}]".split()) <= WORDS_MAX
