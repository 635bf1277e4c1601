"""Inputs that make no sense are refused in words; none crashes, and none is silently taken."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines.sizing
from contracts.errors import InputError
from engines.sizing.estimate import estimate_memory
from engines.sizing.hf_config import from_config
from engines.sizing.setup import TrainingSetup, make_setup

CONFIG = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 160, "vocab_size": 256, "tie_word_embeddings": False,
    "head_dim": 16, "sliding_window": 8,
}  # fmt: skip
EXPERTS = {"model_type": "qwen3_moe", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.integers(-4, 64), st.floats(), st.text(max_size=12),
    st.sampled_from(["bf16", "fp32", "full", "none", "adamw", "root", "NaN", "8", "-1"]),
    st.lists(st.integers(-2, 9), max_size=3),
)  # fmt: skip
SMALL = from_config(CONFIG)
STEADY = settings(max_examples=150, deadline=None, derandomize=True, database=None)


def accepted(make):
    """What is made of an input, or None where it is refused in words that fit a terminal."""
    try:
        return make()
    except InputError as problem:
        said = problem.message
    assert 0 < len(said) < 400
    return None


@STEADY
@given(st.dictionaries(st.sampled_from(sorted(TrainingSetup.model_fields)), VALUES, max_size=4))
def test_settings_of_any_kind(changes):
    setup = accepted(lambda: make_setup(**({"ranks": 8, "seq_len": 64} | changes)))
    if setup is None:
        return
    if setup.tokens <= 1 << 24 and setup.grad_accum <= 64 and setup.pp <= SMALL.layers:
        memory = estimate_memory(SMALL, setup)
        numbers = [memory.active_gib, memory.reserved_gib, memory.step1_reserved_gib, *memory.breakdown_gib.values()]
        assert all(math.isfinite(number) for number in numbers)
        json.dumps(memory.model_dump(mode="json"), allow_nan=False)


@STEADY
@given(st.dictionaries(st.sampled_from(sorted(CONFIG | EXPERTS)), VALUES, max_size=3), st.booleans())
def test_configurations_of_any_kind(changes, mixture):
    shape = accepted(lambda: from_config(CONFIG | (EXPERTS if mixture else {}) | changes))
    if shape is None:
        return
    assert shape.params > 0
    if shape.params < 10**9 and shape.layers < 100:
        assert estimate_memory(shape, make_setup(ranks=2, seq_len=16)).active_gib >= 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ranks": 0}, "ranks"),
        ({"ranks": 8, "tp": 2, "pp": 3}, "dp_replicate 1 x dp_shard 1 x cp 1 x tp 2 x pp 3 = 6, but there are 8"),
        ({"ranks": 8, "seq_len": 10**12}, "seq_len"),
        ({"ranks": 8, "seq_len": float("nan")}, "seq_len"),
        ({"ranks": 8, "seq_len": float("inf")}, "seq_len"),
        ({"ranks": 8, "micro_batch": "many"}, "micro_batch"),
        ({"ranks": 8, "micro_batch": -1}, "micro_batch"),
        ({"ranks": 8, "ep": 3}, "8 / 3 = 2.67"),
        ({"ranks": 8, "reshard_after_forward": -4}, "reshard_after_forward"),
        ({"ranks": 8, "seq_len": 100, "tp": 8}, "100 / (1 x 8) = 12.50"),
    ],
)
def test_the_message_has_the_arithmetic(changes, said):
    with pytest.raises(InputError) as raised:
        make_setup(**({"seq_len": 64} | changes))
    assert said in raised.value.message


def test_no_recorded_run_is_known_to_the_code():
    """Nothing but a row's inputs decides its prediction: no id and no source of a row is in the code."""
    file = Path(__file__).parents[3] / "cases" / "memory" / "published.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    folder = Path(engines.sizing.__file__).parent
    code = "\n".join(path.read_text() for path in folder.rglob("*.py"))
    assert not [row["id"] for row in rows if f'"{row["id"]}"' in code or row["source"] in code]
