"""How a size is written for a person, everywhere the same."""

_SHOWN_IN_GIB = 0.1
_SHOWN_IN_MIB = 0.1


def size_text(gib: float) -> str:
    """Return a size given in GiB in the unit in which it shows: GiB, MiB or KiB.

    Args:
        gib: Size in GiB (2**30 bytes).
    """
    if gib == 0 or abs(gib) >= _SHOWN_IN_GIB:
        return f"{gib:.2f} GiB"
    mib = gib * 1024
    return f"{mib:.2f} MiB" if abs(mib) >= _SHOWN_IN_MIB else f"{mib * 1024:.1f} KiB"


def count_text(count: int) -> str:
    """Return a number of parameters as people say it: 8.03 billion, 869.5 thousand."""
    for size, word in ((10**9, "billion"), (10**6, "million"), (10**3, "thousand")):
        if count >= size:
            return f"{count / size:.2f} {word}"
    return str(count)
