"""What leaves a machine in a step, against sums that a person makes."""

import pytest

from engines.sizing.hf_config import shape_of
from engines.sizing.setup import make_setup
from engines.sizing.throughput.crossing import crossing_gb
from engines.sizing.throughput.fabric import Fabric

# Llama-3-70B: a block has 2 x 8192^2 + 2 x 8192 x 1024 of attention, 3 x 8192 x 28672 of feed-forward, 2 norms
BLOCKS = 80 * (2 * 8192**2 + 2 * 8192 * 1024 + 3 * 8192 * 28672 + 2 * 8192)
ENDS = 2 * 128256 * 8192 + 8192
FABRIC = Fabric(per_node=8, node_gb_per_s=450, node_latency_us=3, network_gb_per_s=50, network_latency_us=16)


def crossing(**settings: object) -> float:
    shape = shape_of("Llama-3-70B")
    assert shape.params == BLOCKS + ENDS == 70_553_706_496
    return crossing_gb(shape, make_setup(**{"ranks": 32, "seq_len": 8192, **settings}), FABRIC)


def test_full_sharding_sends_every_gather_and_every_gradient_past_the_edge() -> None:
    # blocks: two gathers of 2 bytes and one reduction of 4; the ends are gathered once; 31/32 pass each edge
    assert crossing() == pytest.approx((8 * BLOCKS + 6 * ENDS) * 31 / 32 / 1e9)


def test_without_resharding_the_second_gather_is_saved() -> None:
    kept = crossing(reshard_after_forward=False, reshard_last=False)
    assert kept == pytest.approx((6 * BLOCKS + 6 * ENDS) * 31 / 32 / 1e9)


def test_a_replica_in_each_machine_sends_gradients_alone() -> None:
    # eight rings, one for each local rank, each all-reduces an eighth: 2 x 3/4 x 4 bytes x P
    assert crossing(dp_replicate=4) == pytest.approx(6 * (BLOCKS + ENDS) / 1e9)


def test_replicas_of_two_machines_send_both() -> None:
    within = (8 * BLOCKS + 6 * ENDS) * 15 / 16
    across = 8 * 2 * 1 / 2 * 4 * (BLOCKS + ENDS) / 16
    assert crossing(dp_replicate=2) == pytest.approx((within + across) / 1e9)


def test_ddp_all_reduces_fp32_gradients() -> None:
    whole = crossing(fsdp=0, dp_replicate=32, dp_shard=1)
    assert whole == pytest.approx(2 * 31 / 32 * 4 * (BLOCKS + ENDS) / 1e9)


def test_tensor_parallel_groups_stay_within_a_machine() -> None:
    # each of eight rings gathers an eighth over the four machines
    assert crossing(tp=8) == pytest.approx((8 * BLOCKS + 6 * ENDS) * 3 / 4 / 1e9)


def test_accumulation_without_synchronisation_reduces_once() -> None:
    four = crossing(grad_accum=4, accumulate_unsharded=True)
    # four times the gathers, one reduction
    assert four == pytest.approx((16 * BLOCKS + 8 * ENDS + 4 * (BLOCKS + ENDS)) * 31 / 32 / 1e9)


def test_one_machine_sends_nothing() -> None:
    shape = shape_of("Llama-3-8B")
    assert crossing_gb(shape, make_setup(ranks=8, seq_len=4096), FABRIC) == 0.0
