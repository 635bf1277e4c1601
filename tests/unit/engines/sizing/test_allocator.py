"""The allocator model against cases worked out by hand from the rules of CUDACachingAllocator.cpp."""

import random
from itertools import pairwise

import pytest

from engines.sizing.allocator import MIB, CachingAllocator


@pytest.fixture(params=[False, True], ids=["classic", "expandable"])
def allocator(request):
    return CachingAllocator(expandable=request.param)


def test_small_requests_share_a_segment_of_2_mib(allocator):
    for _ in range(4):
        allocator.malloc(1)
    assert allocator.active == 4 * 512
    assert allocator.reserved == 2 * MIB


def test_streams_do_not_share_pools(allocator):
    allocator.release(allocator.malloc(100 * MIB, 0))
    allocator.malloc(100 * MIB, 1)
    assert allocator.reserved == 200 * MIB
    assert allocator.reserved_by(1) == 100 * MIB


def test_neighbours_join_when_both_are_free(allocator):
    whole = allocator.malloc(120 * MIB)
    allocator.release(whole)
    first, second = allocator.malloc(60 * MIB), allocator.malloc(60 * MIB)
    allocator.release(first)
    allocator.release(second)
    allocator.malloc(120 * MIB)
    assert allocator.reserved == 120 * MIB


def test_the_smallest_block_that_is_large_enough_is_taken(allocator):
    large, pin, small = (allocator.malloc(size * MIB) for size in (80, 20, 40))
    allocator.malloc(20 * MIB)  # keeps the 40 MiB from the end of an expandable segment
    allocator.release(large)
    allocator.release(small)
    taken = allocator.malloc(40 * MIB)
    assert taken.address == small.address
    assert pin.address != taken.address


def test_classic_segments_are_20_mib_below_10_and_multiples_of_2_above():
    allocator = CachingAllocator(expandable=False)
    allocator.malloc(3 * MIB)
    assert allocator.reserved == 20 * MIB
    allocator.malloc(11 * MIB)  # the 17 MiB that are left of the first segment serve it
    assert allocator.reserved == 20 * MIB
    allocator.malloc(21 * MIB - 5)
    assert allocator.reserved == (20 + 22) * MIB


def test_classic_segments_do_not_join():
    allocator = CachingAllocator(expandable=False)
    for block in [allocator.malloc(50 * MIB) for _ in range(2)]:
        allocator.release(block)
    allocator.malloc(100 * MIB)
    assert allocator.reserved == 200 * MIB


def test_an_expandable_segment_grows_by_what_its_free_end_lacks():
    allocator = CachingAllocator(expandable=True)
    for block in [allocator.malloc(50 * MIB) for _ in range(2)]:
        allocator.release(block)
    # 50 MiB map 60; the second 50 lack 40 of them, which maps 100; then 100 fit
    allocator.malloc(100 * MIB)
    assert allocator.reserved == 100 * MIB


def test_the_end_of_an_expandable_segment_is_the_last_choice():
    allocator = CachingAllocator(expandable=True)
    hole, _pin = allocator.malloc(60 * MIB), allocator.malloc(20 * MIB)
    allocator.release(allocator.malloc(40 * MIB))  # the end: 40 MiB free
    allocator.release(hole)
    assert allocator.malloc(30 * MIB).address == hole.address


def test_a_large_block_keeps_a_rest_that_is_too_small_to_split_off():
    allocator = CachingAllocator(expandable=False)
    allocator.release(allocator.malloc(40 * MIB))
    block = allocator.malloc(40 * MIB - 600_000)
    assert block.size == 40 * MIB


def test_random_traffic_keeps_the_books(allocator):
    draw, held = random.Random(3), []
    for _ in range(4000):
        if held and draw.random() < 0.5:
            allocator.release(held.pop(draw.randrange(len(held))))
        else:
            held.append(allocator.malloc(draw.choice([700, 90_000, 3 * MIB, 15 * MIB, 64 * MIB]), draw.randrange(2)))
        assert allocator.active == sum(block.size for block in held)
        assert allocator.active <= allocator.reserved
    spans = sorted((block.pool.stream, block.address, block.address + block.size) for block in held)
    for (stream, _, end), (other, start, _) in pairwise(spans):
        assert stream != other or end <= start
    for block in held:
        allocator.release(block)
    assert allocator.active == 0
