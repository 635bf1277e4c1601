"""The search against its own exact predictions, all of them worked out."""

import pytest

from contracts.aim import Aim
from engines.sizing.estimate import estimate_memory
from engines.sizing.hf_config import named_shape
from engines.sizing.search.find import search
from engines.sizing.search.option import fits
from engines.sizing.search.space import all_axes, configurations, recipe_axes, replicas
from engines.sizing.throughput.predict import Machine, speed_of
from knowledge.devices import find_device

SHAPE = named_shape("Llama-3-8B")
H100 = find_device("H100")
BASE = {"ranks": 8, "seq_len": 8192, "norm_kernel": "decomposed"}


def exhaustive(axes, capacity, margin):
    """Every configuration that fits, by the allocation trace, with its speed."""
    found = []
    for _, setup in configurations(BASE, axes):
        if fits(estimate_memory(SHAPE, setup), capacity, margin):
            found.append((speed_of(SHAPE, setup, Machine(H100)).tokens_per_s_per_gpu, setup))
    return found


def test_the_best_is_that_of_an_exhaustive_search():
    axes = recipe_axes(8, 8) | {"micro_batch": (1, 2, 4)}
    found = search(SHAPE, BASE, axes, Machine(H100), H100.usable_gib, Aim())
    fitting = exhaustive(axes, H100.usable_gib, 8.0)
    assert found.best is not None
    # speeds within 2 % count as equal
    assert found.best.speed.tokens_per_s_per_gpu >= max(speed for speed, _ in fitting) / 1.02**2
    assert found.best.setup in [setup for _, setup in fitting]
    assert found.traced < found.considered


def test_everything_that_is_offered_fits_by_the_trace():
    axes = all_axes(SHAPE, 8, 8, 8192, H100)
    found = search(SHAPE, BASE, axes, Machine(H100), H100.usable_gib, Aim())
    assert found.best is not None
    assert found.others
    for option in (found.best, *found.others):
        assert fits(estimate_memory(SHAPE, option.setup), H100.usable_gib, 8.0)


def test_alternatives_differ_in_the_knob_that_they_stand_for():
    axes = recipe_axes(8, 8)
    found = search(SHAPE, BASE, axes, Machine(H100), H100.usable_gib, Aim())
    assert found.best is not None
    assert any(other.setup.cpu_offload != found.best.setup.cpu_offload for other in found.others)
    assert any(other.setup.micro_batch != found.best.setup.micro_batch for other in found.others)


def test_goals_come_before_speed():
    axes = recipe_axes(8, 8)
    batch = search(SHAPE, BASE, axes, Machine(H100), H100.usable_gib, Aim(goal="largest_micro_batch"))
    fast = search(SHAPE, BASE, axes, Machine(H100), H100.usable_gib, Aim())
    assert batch.best is not None
    assert fast.best is not None
    assert batch.best.setup.micro_batch >= fast.best.setup.micro_batch
    twice = batch.best.setup.model_copy(update={"micro_batch": 2 * batch.best.setup.micro_batch, "cpu_offload": True})
    assert not fits(estimate_memory(SHAPE, twice), H100.usable_gib, 8.0)


def test_a_larger_margin_leaves_more_memory():
    axes = recipe_axes(8, 8)
    tight, wide = (
        search(SHAPE, BASE, axes, Machine(H100), H100.usable_gib, Aim(margin_pct=margin)).best for margin in (0, 40)
    )
    assert tight is not None
    assert wide is not None
    assert wide.memory.reserved_gib * 1.4 + 1.5 <= H100.usable_gib
    assert tight.speed.tokens_per_s_per_gpu >= wide.speed.tokens_per_s_per_gpu


def test_where_nothing_fits_nothing_is_found():
    card = find_device("T4")
    found = search(named_shape("Llama-3-70B"), BASE, recipe_axes(8, 8), Machine(card), card.usable_gib, Aim())
    assert found.best is None
    assert found.others == ()


@pytest.mark.parametrize(("ranks", "per_node", "expected"), [(8, 8, (1,)), (32, 8, (1, 2, 4)), (24, 8, (1, 3))])
def test_replicas_are_whole_machines(ranks, per_node, expected):
    assert replicas(ranks, per_node) == expected


def test_configurations_are_valid_meshes():
    for _, setup in configurations({"ranks": 16, "seq_len": 8192}, all_axes(SHAPE, 16, 8, 8192, H100)):
        assert setup.dp_replicate * setup.dp_shard * setup.tp * setup.cp * setup.pp == 16
        assert setup.float8 == "none" or setup.compile
