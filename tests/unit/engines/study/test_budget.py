"""Tokens to train and the price of an hour, as people write them."""

import pytest

from engines.study.budget import read_budget
from engines.study.decompose import decompose
from engines.study.outline import Budget


@pytest.mark.parametrize(
    ("question", "budget"),
    [
        ("8 til 16 h100 til 2 mia. tokens, 3 dollar i timen", Budget(2 * 10**9, 3.0, "dollar")),
        ("train on 500 million tokens at $2.50 per gpu-hour", Budget(500 * 10**6, 2.5, "$", per_gpu=True)),
        ("2,000,000,000 tokens at $3/h100/hour", Budget(2 * 10**9, 3.0, "$", per_gpu=True)),
        ("1,5 milliarder tokens til 20 kr. i timen pr. gpu", Budget(1_500_000_000, 20.0, "kr.", per_gpu=True)),
        ("train over 2 million tokens", Budget(2_000_000)),
        ("does 1m tokens context work at 8,192 tokens", Budget()),
        ("llama-3-8b at 4096 tokens on 8 h100", Budget()),
    ],
)
def test_what_is_to_be_trained_and_what_an_hour_costs(question: str, budget: Budget) -> None:
    assert read_budget(question)[0] == budget


def test_tokens_in_all_are_no_sequence_length_and_a_purpose_is_no_addition() -> None:
    outline = decompose("Skal vi gå fra 8 til 16 H100 til fuld finetuning af Llama-3-8B på 2.000.000.000 tokens?")
    assert "seq_len" not in outline.topics
    assert [option.changes for option in outline.options] == [{"@gpus": 8}, {"@gpus": 16}]
