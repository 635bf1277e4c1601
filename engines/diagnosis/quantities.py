"""Numbers in a message that decide between causes."""

import re

_UNITS_MIB = {"kib": 1 / 1024, "mib": 1.0, "gib": 1024.0}
_SIZE = r"([\d.]+)\s([kmg]ib)"
_REQUESTED = re.compile(rf"tried to allocate {_SIZE}")
_UNUSED = re.compile(rf"{_SIZE} is reserved by pytorch but unallocated")
_ALLOCATED = re.compile(rf"{_SIZE} already allocated")
_RESERVED = re.compile(rf"{_SIZE} reserved in total by pytorch")
_FITS, _FITS_NOT = 3.0, -3.0
_SHAPES = re.compile(
    r"size mismatch for \S+: copying a param with shape torch\.size\(\[(\d+(?:, \d+)*)\]\)"
    r".{0,80}?torch\.size\(\[(\d+(?:, \d+)*)\]\)"
)
_RECOMPUTED = re.compile(
    r"saved(?: metadata)?: \{'shape': torch\.size\(\[(\d+(?:, \d+)*)\]\)"
    r".{0,200}?recomputed(?: metadata)?: \{'shape': torch\.size\(\[(\d+(?:, \d+)*)\]\)",
    re.DOTALL,
)
_USUAL_RANKS = frozenset((2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024))
_IS_SHARD = 4.0


def fragmentation(text: str) -> float:
    """Return what the numbers of an out of memory message say about fragmentation, as a weight.

    Memory that is reserved but unallocated and larger than the request could have served it,
    had it been in one piece; where it is smaller, fragmentation is not the cause.

    Args:
        text: Lower-case text.
    """
    requested = _mib(_REQUESTED.search(text))
    unused = _mib(_UNUSED.search(text))
    reserved, allocated = _mib(_RESERVED.search(text)), _mib(_ALLOCATED.search(text))
    if unused is None and reserved is not None and allocated is not None:
        unused = reserved - allocated
    if requested is None or unused is None:
        return 0.0
    return _FITS if unused > requested else _FITS_NOT


def one_shard_of_it(text: str) -> float:
    """Return what two shapes that do not fit each other say about sharding, as a weight.

    Where the first dimensions are in a whole ratio that is a usual number of ranks, and the others
    are equal, one side is a rank's shard of the other.

    Args:
        text: Lower-case text.
    """
    found = _SHAPES.search(text)
    if found is None:
        return 0.0
    one, other = ([int(size) for size in shape.split(",")] for shape in found.groups())
    if len(one) != len(other) or one[1:] != other[1:] or not min(one[0], other[0]):
        return 0.0
    ratio, rest = divmod(max(one[0], other[0]), min(one[0], other[0]))
    return _IS_SHARD if rest == 0 and ratio in _USUAL_RANKS else -_IS_SHARD


def recomputed_shard(text: str) -> float:
    """Return what the shapes of an activation checkpointing error say about sharding, as a weight.

    Where a tensor came out of the recomputation smaller in the first dimension by a usual number of
    ranks, a parameter was still a shard; where it came out longer, something was kept from before.

    Args:
        text: Lower-case text.
    """
    found = _RECOMPUTED.search(text)
    if found is None:
        return 0.0
    saved, again = ([int(size) for size in shape.split(",")] for shape in found.groups())
    if len(saved) != len(again) or saved == again or not min(saved[0], again[0]):
        return 0.0
    ratio, rest = divmod(saved[0], again[0])
    return _IS_SHARD if saved[1:] == again[1:] and rest == 0 and ratio in _USUAL_RANKS else -_IS_SHARD


def weight_of(kind: str, text: str) -> float:
    """Return the weight that a kind of quantity gives to its cause.

    Args:
        kind: `fragmentation`, `one_shard_of_it`, `recomputed_shard`, or one of the last two with `not_` before it.
        text: Lower-case text.
    """
    if kind == "fragmentation":
        return fragmentation(text)
    measured = recomputed_shard if kind.endswith("recomputed_shard") else one_shard_of_it
    return measured(text) * (-1.0 if kind.startswith("not_") else 1.0)


def _mib(found: re.Match[str] | None) -> float | None:
    try:
        return float(found[1]) * _UNITS_MIB[found[2]] if found else None
    except ValueError:  # such as "1.2.3"
        return None
