"""Which sentences a card bears out: its own, paraphrases of them, and nothing beyond."""

import pytest

from engines.answers.grounding import is_grounded
from knowledge.card import Card
from knowledge.cards import cards

CARD = Card.model_validate(
    {
        "slug": "made-up",
        "title": "What gathering costs",
        "claim": "With 8 ranks the all-gather of a block takes 14 GB and 3.5 ms. It does not copy the optimizer state.",
        "kind": "behaviour",
        "applies_to": ["fsdp2"],
        "torch": ">=2.6",
        "sources": [{"url": "https://docs.pytorch.org/x", "title": "made up", "says": "that it takes 14 GB"}],
        "evidence": "documented",
        "unprobed": "it is here for a test",
        "what": "The gathered parameters are kept until backward. Two blocks are gathered at a time.",
        "why": "Forward needs the whole weights, which are freed after use; bf16 halves them.",
        "what_to_do": "Call `fully_shard` on each block before the optimizer is built; reshard_after_forward=True.",
    }
)


@pytest.mark.parametrize(
    "sentence",
    [
        "With 8 ranks, gathering a block takes 14 GB.",
        "The all-gather takes 3.5 ms with 8 ranks.",
        "The optimizer state is not copied by the all-gather.",
        "Call `fully_shard` on each block before you build the optimizer.",
        "Gathered parameters stay until the backward.",
        "FSDP2 gathers two blocks at a time.",
    ],
)
def test_what_the_card_says_in_other_words_stands(sentence: str) -> None:
    assert is_grounded(sentence, [CARD])


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("With 16 ranks, gathering a block takes 14 GB.", id="other number"),
        pytest.param("With 8 ranks, gathering a block takes 14 MB.", id="other unit"),
        pytest.param("With 8 ranks, gathering a block takes 14GiB.", id="other unit, glued"),
        pytest.param("With 8 ranks, gathering a block takes 14.5 GB.", id="other decimals"),
        pytest.param("Three blocks are gathered at a time.", id="other number, spelled"),
        pytest.param("Forward needs the whole weights in fp8, which are freed after use.", id="name with digits"),
        pytest.param("The optimizer state is copied by the all-gather.", id="negation lost"),
        pytest.param("Gathered parameters are not kept until backward.", id="negation added"),
        pytest.param("Call `fully_shard` on each block after the optimizer is built.", id="turned round"),
        pytest.param("Call fully_shard on each block with reshard_after_forward=False.", id="other value"),
        pytest.param("Call fully_shard and set_is_last_backward on each block.", id="other symbol"),
        pytest.param("Call `fully_shard` and `rm -rf ~` on each block.", id="other code"),
        pytest.param("Call fully_shard on each block, see https://evil.example/x.", id="other address"),
        pytest.param("Buy more GPUs and wait for the next release.", id="another matter"),
        pytest.param("...", id="nothing"),
    ],
)
def test_what_it_does_not_say_falls(sentence: str) -> None:
    assert not is_grounded(sentence, [CARD])


def test_a_sentence_may_rest_on_two_cards() -> None:
    other = CARD.model_copy(update={"claim": "A step of the optimizer takes 20 ms on 8 ranks."})
    sentence = "On 8 ranks the all-gather takes 3.5 ms and the optimizer step 20 ms."
    assert not is_grounded(sentence, [CARD])
    assert is_grounded(sentence, [CARD, other])


def test_nearly_every_claim_stands_on_its_own_card() -> None:
    own = [is_grounded(card.claim.split(". ")[0] + ".", [card]) for card in cards().values()]
    assert sum(own) >= 0.95 * len(own)
