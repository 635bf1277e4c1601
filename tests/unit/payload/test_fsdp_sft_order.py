from itertools import pairwise

import pytest
from fsdp_sft_order import example_at, step_positions


@pytest.mark.parametrize("count", [1, 2, 3, 7, 64, 65, 1000])
@pytest.mark.parametrize("epoch", [0, 1])
def test_each_epoch_has_every_example_once(count, epoch):
    seen = [example_at(epoch * count + place, count, seed=3) for place in range(count)]
    assert sorted(seen) == list(range(count))


def test_order_differs_by_epoch_and_by_seed_and_is_the_same_each_time():
    def order(seed, epoch):
        return [example_at(epoch * 100 + place, 100, seed) for place in range(100)]

    assert order(0, 0) == order(0, 0)
    assert len({tuple(order(seed, epoch)) for seed in range(3) for epoch in range(3)}) == 9
    assert order(0, 0) != sorted(order(0, 0))


def test_neighbours_are_scattered():
    # of 999 neighbouring pairs a random order leaves 2 in 1000 adjacent: two on average
    order = [example_at(place, 1000, seed=1) for place in range(1000)]
    adjacent = sum(abs(a - b) == 1 for a, b in pairwise(order))
    assert adjacent <= 12


@pytest.mark.parametrize(("world_size", "grad_accum", "micro_batch"), [(1, 8, 1), (2, 2, 2), (4, 1, 2), (8, 1, 1)])
def test_a_step_of_eight_takes_the_same_eight_on_any_world_size(world_size, grad_accum, micro_batch):
    taken = [
        position
        for micro_step in range(grad_accum)
        for rank in range(world_size)
        for position in step_positions(80, micro_step, rank, world_size, micro_batch)
    ]
    assert taken == list(range(80, 88))
