"""What is said beside the subject states no value of the request."""

import pytest

from engines.intake.asides import subject_of
from engines.intake.reading import read_text


@pytest.mark.parametrize(
    ("text", "params_b", "method"),
    [
        ("Last year we did LoRA on a 7B. Now every weight of a 32B has to be trained.", 32, "full"),
        ("Previously we ran QLoRA on a 13B, but now it is full fine-tuning of a 34B.", 34, "full"),
        ("Sidste år kørte vi LoRA på en 7B. Nu skal alle vægte i en 14B trænes.", 14, "full"),
        ("They say models above 10B need sharding. Mine is an 8B with LoRA.", 8, "lora"),
        ("Alt over 10B skal shardes, siger de. Jeg har en 14B med QLoRA.", 14, "qlora"),
        ("A blog post trained a 65B on 128 GPUs. We have a 13B and want LoRA.", 13, "lora"),
    ],
)
def test_the_subject_states_the_values(text: str, params_b: float, method: str) -> None:
    values = read_text(text).values
    assert (values.params_b, values.method) == (params_b, method)


@pytest.mark.parametrize(
    "text",
    [
        "last year we trained a 7b with lora on 4 gpus",
        "a colleague says our 13b on 8 gpus needs fsdp. we run lora.",
        "the model is a 7b, above all it must fit",
    ],
)
def test_a_history_without_a_present_is_the_subject(text: str) -> None:
    assert subject_of(text) == text


def test_positions_stay() -> None:
    text = "last year we did lora on a 7b. now it is a 13b."
    left = subject_of(text)
    assert len(left) == len(text)
    assert left.endswith("now it is a 13b.")
