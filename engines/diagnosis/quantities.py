"""Numbers in a message that decide between causes."""

import re
from itertools import pairwise

_UNITS_MIB = {"kib": 1 / 1024, "mib": 1.0, "gib": 1024.0}
_SIZE = r"([\d.]+)\s([kmg]ib)"
_REQUESTED = re.compile(rf"tried to allocate {_SIZE}")
_UNUSED = re.compile(rf"{_SIZE} is reserved by pytorch but unallocated")
_ALLOCATED = re.compile(rf"{_SIZE} already allocated")
_RESERVED = re.compile(rf"{_SIZE} reserved in total by pytorch")
_FREE = re.compile(rf"of which {_SIZE} is free|{_SIZE} free")
_IN_USE = re.compile(rf"this process has {_SIZE} memory in use")
_BY_TORCH = re.compile(rf"{_SIZE} is allocated by pytorch")
_CAPACITY = re.compile(rf"total capacity of {_SIZE}|{_SIZE} total capacity")
_FITS, _FITS_NOT, _NEVER = 3.0, -3.0, -30.0
_PIECES_SHARE = 0.25
"""Share of a request below which pieces that lie unused cannot be what it lacks."""
_OUTSIDE_MUCH_MIB, _OUTSIDE_USUAL_MIB = 6144.0, 3072.0
"""Memory of a process that is not PyTorch's: the CUDA context and usual communicators take up to about 3 GiB."""
_MUCH_OUTSIDE = 4.0
_MESSAGES_MAX = 1000
_WHOLE_LEAST_MIB, _WHOLE_TIMES, _IS_WHOLE = 4096.0, 2.0, 3.5
_RAN_OUT_MS = re.compile(r"timeout\(ms\)=(\d{4,9})\b")
_TIMEOUT_SET = re.compile(
    r"time-?out\w*[^\n]{0,60}?(?:\b(hours|minutes|seconds)=(\d{1,6})\b"
    r"|\b(\d{1,6}) ?(h|hours?|min|minutes|s|sec|seconds)\b)"
)
"""A time-out that somebody set: `timedelta(hours=2)`, 180 minutes, 3600 s."""
_UNITS_S = {"h": 3600.0, "m": 60.0, "s": 1.0}
_LONGER_TIMES, _OTHER_TIMEOUT = 1.5, 4.0
_FULL_SHARE, _IS_FULL = 0.85, 1.5
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
    return max((_in_pieces(message) for message in _messages(text)), default=0.0)


def _in_pieces(message: str) -> float:
    requested, free = _mib(_REQUESTED.search(message)), _mib(_FREE.search(message)) or 0.0
    unused = _mib(_UNUSED.search(message))
    reserved, allocated = _mib(_RESERVED.search(message)), _mib(_ALLOCATED.search(message))
    if unused is None and reserved is not None and allocated is not None:
        unused = reserved - allocated
    if requested is None or unused is None:
        return 0.0
    outside = _outside(message)
    if outside is not None and outside > _OUTSIDE_MUCH_MIB and outside > unused:
        return _FITS_NOT
    if unused > requested:
        return _FITS
    return _NEVER if unused + free < requested or unused < _PIECES_SHARE * requested else _FITS_NOT


def outside_allocator(text: str) -> float:
    """Return what an out of memory message says about memory of the process that is not PyTorch's, as a weight.

    Args:
        text: Lower-case text.
    """
    found = []
    for message in _messages(text):
        outside = _outside(message)
        if outside is not None:
            much, little = outside > _OUTSIDE_MUCH_MIB, outside < _OUTSIDE_USUAL_MIB
            found.append(_MUCH_OUTSIDE if much else -_MUCH_OUTSIDE if little else 0.0)
    return max(found, default=0.0)


def _outside(message: str) -> float | None:
    in_use, allocated = _mib(_IN_USE.search(message)), _mib(_BY_TORCH.search(message))
    unused = _mib(_UNUSED.search(message))
    return None if in_use is None or allocated is None or unused is None else in_use - allocated - unused


def filled(text: str) -> float:
    """Return what an out of memory message says about a GPU that PyTorch's own tensors fill, as a weight.

    Args:
        text: Lower-case text.
    """
    for message in _messages(text):
        requested, capacity = _mib(_REQUESTED.search(message)), _mib(_CAPACITY.search(message))
        allocated = _mib(_BY_TORCH.search(message) or _ALLOCATED.search(message))
        if requested and capacity and allocated and allocated + requested > _FULL_SHARE * capacity:
            return _IS_FULL
    return 0.0


def gathered_whole(text: str) -> float:
    """Return what an out of memory message says about a model that is gathered in one piece, as a weight.

    A request of several GiB that is more than twice of all that is allocated is no layer's, and no loss's: before a
    loss is computed the layers' activations are there.

    Args:
        text: Lower-case text.
    """
    for message in _messages(text):
        requested = _mib(_REQUESTED.search(message))
        allocated = _mib(_BY_TORCH.search(message) or _ALLOCATED.search(message))
        if requested and allocated and requested > _WHOLE_LEAST_MIB and requested > _WHOLE_TIMES * allocated:
            return _IS_WHOLE
    return 0.0


def other_timeout(text: str) -> float:
    """Return what it says that somebody set a longer time-out than the one that ran out, as a weight.

    Args:
        text: Lower-case text.
    """
    ran_out = [int(found[1]) / 1000 for found in _RAN_OUT_MS.finditer(text)]
    set_to = [_seconds(found) for found in _TIMEOUT_SET.finditer(text)]
    if not ran_out or not set_to:
        return 0.0
    return _OTHER_TIMEOUT if max(set_to) > _LONGER_TIMES * min(ran_out) else 0.0


def _seconds(found: re.Match[str]) -> float:
    unit, number, number_2, unit_2 = found.groups()
    return float(number or number_2) * _UNITS_S[(unit or unit_2)[0]]


def _messages(text: str) -> list[str]:
    """Return each out of memory message, from its request to the next one's."""
    starts = [found.start() for found in _REQUESTED.finditer(text)][:_MESSAGES_MAX]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


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
        kind: `fragmentation`, `outside_allocator`, `filled`, `gathered_whole`, `other_timeout`, `one_shard_of_it`,
            `recomputed_shard`, or one of the last two with `not_` before it.
        text: Lower-case text.
    """
    measures = {
        "fragmentation": fragmentation,
        "outside_allocator": outside_allocator,
        "filled": filled,
        "gathered_whole": gathered_whole,
        "other_timeout": other_timeout,
    }
    if kind in measures:
        return measures[kind](text)
    measured = recomputed_shard if kind.endswith("recomputed_shard") else one_shard_of_it
    return measured(text) * (-1.0 if kind.startswith("not_") else 1.0)


def _mib(found: re.Match[str] | None) -> float | None:
    try:
        if found is None:
            return None
        number, unit = (group for group in found.groups() if group is not None)
        return float(number) * _UNITS_MIB[unit]
    except ValueError:  # such as "1.2.3"
        return None
