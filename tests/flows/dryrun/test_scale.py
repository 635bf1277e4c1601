"""Dry runs for worlds of 8 to 16,384 ranks: real fully_shard, and the prediction of the same, with one arithmetic.

One process plays one rank of each world. A few layers of each model at its real width: a layer is
like another, and with all 126 of the largest the trace alone would take minutes. What the ranks
divide is checked by hand as well, so that both cannot be wrong together.
"""

import pytest

from engines.sizing.hf_config import from_config
from engines.sizing.setup import make_setup
from engines.sizing.trace import replay
from knowledge.shapes import find_shape

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

WORLDS = (8, 64, 512, 4096, 16384)
MODELS = {"llama-3-8b": 3, "llama-3-70b": 2, "llama-3.1-405b": 2, "mixtral-8x7b": 2}
"""Models, and how many of their layers are run."""

HYBRID = ((64, 8), (512, 4), (4096, 8))
"""Worlds with replicas."""


def case(name, ranks, **more):
    config = dict(find_shape(name).config) | {"num_hidden_layers": MODELS[name]}
    base = {"ranks": ranks, "seq_len": 2048, "ac": "full", "norm_kernel": "decomposed"}
    return make_setup(**(base | more)), from_config(config, name), config


def apart_pct(guess, truth):
    return 100 * abs(guess - truth) / truth


@pytest.mark.parametrize("name", MODELS)
def test_prediction_and_dry_run_agree_for_worlds_of_any_size(run_dry, name):
    cases = [case(name, ranks) for ranks in WORLDS] + [case(name, *size[:1], dp_replicate=size[1]) for size in HYBRID]
    for (setup, shape, _), dry in zip(cases, run_dry(cases), strict=True):
        guess = replay(shape, setup)
        said = name, setup.ranks, setup.dp_replicate
        assert apart_pct(guess.active, dry.active) <= 0.5, said
        assert apart_pct(guess.reserved, dry.reserved) <= 2.0, said
        if setup.dp_shard <= (8 if shape.experts else 64):
            # every tensor has more rows: little is padded, and fp32 weights and two moments are divided
            by_hand = 4 * shape.params / setup.dp_shard
            assert dry.most["parameters"] == pytest.approx(by_hand, rel=0.02), said
            assert dry.most["optimizer_state"] == pytest.approx(2 * by_hand, rel=0.03), said


def test_on_more_ranks_than_rows_the_padding_is_gathered_too(run_dry):
    """8 experts over 64 ranks: a row each for 64, so that a block of experts is gathered eight times as large."""
    (few, shape, config), (many, _, _) = case("mixtral-8x7b", 8), case("mixtral-8x7b", 64)
    small, large = run_dry([(few, shape, config), (many, shape, config)])
    experts = 8 * 3 * 4096 * 14336  # gate, up and down of each
    more = large.most["unsharded_groups"] - small.most["unsharded_groups"]
    # bf16: seven more copies of one block's experts at least, and none of 8 ranks is padded
    assert more >= 7 * 2 * experts * 0.99
