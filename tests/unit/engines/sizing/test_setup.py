"""Settings that contradict each other are refused with the arithmetic."""

import pytest

from contracts.errors import RequestInvalid
from engines.sizing.setup import make_setup


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ranks": 8, "dp_shard": 3}, "dp_shard 3 x cp 1 x tp 1 x pp 1 = 3, but there are 8"),
        ({"ranks": 8, "tp": 3}, "= 3, but there are 8"),
        ({"ranks": 0}, "ranks"),
        ({"ranks": -2}, "ranks"),
        ({"ranks": 2, "seq_len": 0}, "seq_len"),
        ({"ranks": 8, "cp": 8, "seq_len": 100}, "100 / (8 x 1) = 12.50"),
        ({"ranks": 8, "ac": "full", "ac_every": 2}, "every_k"),
        ({"ranks": 8, "colour": "red"}, "colour"),
        ({"ranks": "many"}, "ranks"),
        ({"ranks": 8, "optimizer": "lion"}, "optimizer"),
    ],
)
def test_nonsense_is_refused_with_its_arithmetic(settings, said):
    with pytest.raises(RequestInvalid) as raised:
        make_setup(**({"seq_len": 512} | settings))
    assert said in raised.value.message


def test_shard_degree_follows_from_the_ranks():
    setup = make_setup(ranks=64, dp_replicate=2, cp=2, tp=4, seq_len=8192)
    assert (setup.dp_shard, setup.shard_ranks, setup.tokens) == (4, 8, 4096)


@pytest.mark.parametrize(
    ("optimizer", "state_bytes"),
    [("adamw", 8), ("adamw_8bit", 2), ("sgd", 0), ("sgd_momentum", 4), ("muon", 4), ("adafactor", 0)],
)
def test_optimizer_state_of_one_fp32_parameter(optimizer, state_bytes):
    assert make_setup(ranks=2, seq_len=16, optimizer=optimizer).state_bytes_per_param == state_bytes
