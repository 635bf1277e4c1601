"""In which order the examples come: a pure function of seed and position.

No list of indices is kept, so that any rank of any world size can ask for any position
at once, and a resumed job goes on at the very next example. Each epoch is its own
permutation: a Feistel network over the smallest power of four that holds the examples,
walked until the value falls among them (cycle walking; Black and Rogaway 2002).
"""

import hashlib

_ROUNDS = 4


def example_at(position: int, count: int, seed: int) -> int:
    """Return which example is the `position`-th of the whole run.

    Args:
        position: Examples consumed before it, over all ranks and epochs; from 0.
        count: Examples in the data set; at least 1.
        seed: Seed of the order.
    """
    epoch, place = divmod(position, count)
    key = hashlib.blake2b(f"{seed}:{epoch}".encode(), digest_size=32).digest()
    half_bits = max(1, ((count - 1).bit_length() + 1) // 2)
    place = _scramble(place, half_bits, key)
    while place >= count:
        place = _scramble(place, half_bits, key)
    return place


def _scramble(value: int, half_bits: int, key: bytes) -> int:
    """Permute the numbers of `2 * half_bits` bits."""
    mask = (1 << half_bits) - 1
    left, right = value >> half_bits, value & mask
    for turn in range(_ROUNDS):
        block = turn.to_bytes(1, "big") + right.to_bytes(8, "big")
        digest = hashlib.blake2b(block, key=key, digest_size=8).digest()
        left, right = right, left ^ (int.from_bytes(digest, "big") & mask)
    return left << half_bits | right


def step_positions(start: int, micro_step: int, rank: int, world_size: int, micro_batch: int) -> range:
    """Return the positions that one rank takes in one micro-step.

    Args:
        start: Examples consumed before this optimizer step, over all ranks.
        micro_step: Micro-step within the optimizer step, from 0.
        rank: Rank of this process.
        world_size: Ranks in all.
        micro_batch: Examples for each rank and micro-step.
    """
    first = start + (micro_step * world_size + rank) * micro_batch
    return range(first, first + micro_batch)
