"""Numbers in a message that decide between causes."""

import re

_UNITS_MIB = {"kib": 1 / 1024, "mib": 1.0, "gib": 1024.0}
_SIZE = r"([\d.]+)\s([kmg]ib)"
_REQUESTED = re.compile(rf"tried to allocate {_SIZE}")
_UNUSED = re.compile(rf"{_SIZE} is reserved by pytorch but unallocated")
_ALLOCATED = re.compile(rf"{_SIZE} already allocated")
_RESERVED = re.compile(rf"{_SIZE} reserved in total by pytorch")
_FITS, _FITS_NOT = 3.0, -3.0


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


def _mib(found: re.Match[str] | None) -> float | None:
    try:
        return float(found[1]) * _UNITS_MIB[found[2]] if found else None
    except ValueError:  # such as "1.2.3"
        return None
