"""The scaling curve: its points by hand, and where it turns over."""

import pytest

from contracts.reliability import Reliability
from contracts.scale import ScalePoint
from engines.sizing.hf_config import named_shape
from engines.sizing.scale.curve import curve, doublings, last_that_pays, most_useful, says, turns_over
from engines.sizing.scale.interval import daly_s, useful_share
from engines.sizing.scale.meshes import Place
from engines.sizing.setup import make_setup
from engines.sizing.throughput.predict import Machine, speed_of
from knowledge.devices import find_device

LLAMA = named_shape("Llama-3-8B")
H100 = find_device("H100")
PARAMS = 8_030_261_248


def points(counts, network=None, fixed_batch=False, ranks=16, reliability=None, shape=LLAMA, **more):
    base = {"ranks": ranks, "seq_len": 4096, "ac": "full"} | more
    place = Place(Machine(H100, ranks // 8, network), H100.usable_gib, 8.0)
    return curve(shape, make_setup(**base), place, reliability or Reliability(), counts, fixed_batch=fixed_batch)


def made(nodes, useful, fits=True):
    return ScalePoint(
        nodes=nodes,
        gpus=8 * nodes,
        mesh=f"1 x {8 * nodes}",
        global_batch_tokens=nodes,
        reserved_gib=1.0,
        fits=fits,
        tokens_per_s=useful,
        useful_tokens_per_s=useful,
        efficiency_pct=100.0,
        bound_by="compute",
    )


def test_the_counts_are_doubled_and_those_by_name_are_added():
    assert doublings(1, 20, (3, 40)) == (1, 2, 3, 4, 8, 16)


def test_a_point_by_hand():
    [point] = points((4,))
    speed = speed_of(LLAMA, make_setup(ranks=32, seq_len=4096, ac="full"), Machine(H100, 4))
    assert point.tokens_per_s == pytest.approx(32 * speed.tokens_per_s_per_gpu, rel=1e-5)
    save = 12 * PARAMS / 4e9
    mtbf = 54 * 24 * 16384 / 419 / 32 * 3600
    useful = useful_share(daly_s(save, mtbf), save, mtbf, 600 + save)
    assert point.useful_tokens_per_s == pytest.approx(point.tokens_per_s * useful, rel=1e-5)
    assert (point.gpus, point.global_batch_tokens, point.mesh) == (32, 32 * 4096, "1 x 32")


def test_efficiency_counts_from_the_fewest_that_fit():
    found = points((1, 2, 4, 8), shape=named_shape("Llama-3-70B"))
    assert [point.fits for point in found] == [False, False, True, True]
    first, second = found[2], found[3]
    assert first.efficiency_pct == 100
    each = second.useful_tokens_per_s / first.useful_tokens_per_s / 2
    assert second.efficiency_pct == pytest.approx(100 * each, abs=0.06)
    assert "4 are the fewest that fit" in says(found)


def test_a_fixed_batch_ends_where_each_rank_has_one_sequence():
    # 16 ranks x 2 sequences x 4 micro-steps = 128 sequences: 128 GPUs at most
    found = points((1, 2, 3, 4, 8, 16, 32), fixed_batch=True, micro_batch=2, grad_accum=4)
    assert [point.nodes for point in found] == [1, 2, 4, 8, 16]
    assert {point.global_batch_tokens for point in found} == {128 * 4096}
    assert "the global batch divides no further" in says(found, fixed_batch=True)
    assert [point.efficiency_pct for point in found] == sorted((p.efficiency_pct for p in found), reverse=True)


def test_over_slow_links_it_turns_over_at_one_machine():
    found = points((1, 2, 4), network="10 Gb/s", fixed_batch=True, grad_accum=8)
    assert turns_over(found)
    assert says(found, fixed_batch=True).startswith("It turns over at 1 machine (8 GPUs): 2 give ")
    assert last_that_pays(found).nodes == 1


def test_failures_alone_turn_a_curve_over():
    # a failure for every 200 GPU hours: 8,192 GPUs fail every 88 s and hardly come up again
    found = points((64, 256, 1024), reliability=Reliability(gpu_hours_per_failure=200))
    assert found[2].tokens_per_s > found[1].tokens_per_s
    assert found[2].useful_tokens_per_s < found[1].useful_tokens_per_s
    assert most_useful(found).nodes < 1024
    assert turns_over(found)


def test_words_and_numbers_of_a_curve():
    rising = [made(1, 100.0), made(2, 190.0), made(4, 320.0), made(8, 400.0)]
    assert not turns_over(rising)
    assert most_useful(rising).nodes == 8
    assert last_that_pays(rising).nodes == 4  # 1.9, 1.68, then 1.25
    assert says(rising).startswith("It does not turn over up to 8 machines (64 GPUs)")
    bent = [*rising, made(16, 390.0), made(32, 410.0)]
    assert turns_over(bent)
    assert "It turns over at 8 machines (64 GPUs): 16 give 390 tokens/s, 8 give 400; only 32 give more again" in says(
        bent
    )
    # three machines in place of two: 1.6 to the power of log2(1.5) is 1.32
    assert last_that_pays([made(2, 100.0), made(3, 131.0)]).nodes == 2
    assert last_that_pays([made(2, 100.0), made(3, 133.0)]).nodes == 3
    # what does not fit is no start
    assert most_useful([made(1, 100.0, fits=False), made(2, 50.0)]).nodes == 2


def test_where_nothing_fits_it_is_said_and_the_first_is_what_the_others_are_compared_with():
    found = points((1, 2, 4), seq_len=8192, ac="none", micro_batch=4)
    assert [point.fits for point in found] == [False, False, False]
    each = [point.useful_tokens_per_s / point.gpus for point in found]
    assert [point.efficiency_pct for point in found] == [
        pytest.approx(100 * speed / each[0], abs=0.06) for speed in each
    ]
    assert says(found).startswith("Nothing here fits")
