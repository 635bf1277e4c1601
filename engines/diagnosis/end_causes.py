"""What the ends of the ranks say of the cause: who raised an error of its own, who met a message of another size."""

import re
from collections.abc import Mapping, Sequence

from engines.diagnosis.clue import Clue
from engines.diagnosis.hang import Standstill
from engines.diagnosis.line import Line
from engines.diagnosis.out_of_memory import SAID
from engines.diagnosis.stacks import Stack, is_own, told
from engines.diagnosis.tracebacks import Raised

_SIZES = re.compile(r"(\d+) vs (\d+)\. Received data size doesn't match expected size")
_GONE = re.compile(r"application crash on rank|server shutdown or crash|remote process exited", re.IGNORECASE)
"""NCCL and the store say of a rank that it has gone before."""
_TIMED_OUT = re.compile(r"timed out|time-?out", re.IGNORECASE)
_ASIDE = re.compile(r"sav(?:e|ing)|checkpoint|export|state_dict|eval|valid|generat|infer|predict", re.IGNORECASE)
_AT_WORK = (
    (re.compile(r"\bsav(?:e|ing)\b|checkpoint|export", re.IGNORECASE), "slow-save-exceeds-timeout"),
    (
        re.compile(r"tokeni[sz]|download|preprocess|prepar|convert|index|\bmap\b|compil|merg", re.IGNORECASE),
        "rank0-slow-work-before-collective",
    ),
    (re.compile(r"waiting for|load\w* (?:batch|shard|data)|reading", re.IGNORECASE), "one-rank-waits-for-data"),
)
"""What a rank says that it does, and the cause where the others wait for it."""
_DTYPE_RATIOS = (2, 4)
"""Bytes of an element of one floating-point type to those of another."""
_IN_THE_MODEL = re.compile(r"torch/(?:nn/modules/module|autograd/|distributed/fsdp/)")
_SURE, _LIKELY, _POSSIBLE = 7.0, 4.0, 2.0
_NOBODY_DIED_BEFORE = -5.0
_OWN_CODE, _OWN_LINE = 6.0, 3.5
_HANDED_ON = re.compile(r"\bCaught \w+ in \w+")
"""What a loader's worker raised comes with its own traceback after this."""


def clues_of_ends(
    raised: Sequence[Raised], lines: Sequence[Line], still: Standstill, stacks: Mapping[int, Stack]
) -> list[Clue]:
    """Return what the ends of the ranks say for causes, and against them.

    Args:
        raised: Exceptions of the ranks.
        lines: Lines as they were kept.
        still: Where the ranks waited for each other.
        stacks: Stack of the main thread of each rank.
    """
    own = [each for each in raised if not each.waited]
    clues = _of_own_error(_told_first(own), raised, lines)
    first = raised[0].error if raised else None
    if first is not None and (own or still.hang is not None) and not any(_GONE.search(line.text) for line in lines):
        text = "the ranks raised errors themselves: none was gone before"
        clues.append(Clue("peer-rank-died-first", _NOBODY_DIED_BEFORE, first.file, first.number, text))
    met = next(((line, found) for line in lines if (found := _SIZES.search(line.text))), None)
    if met is not None and not own:
        clues += _of_sizes(met[0], int(met[1][1]), int(met[1][2]), still, stacks)
    if raised and not own and still.hang is None:
        clues += _of_who_did_not_come(raised, lines, stacks)
    return clues


def _told_first(own: Sequence[Raised]) -> Raised | None:
    """Return the first exception; where it hands on what a process of its own raised, that one."""
    if len(own) > 1 and own[0].rank == own[1].rank and _HANDED_ON.search(own[0].error.text):
        return own[1]
    return own[0] if own else None


def _is_own_line(raised: Raised) -> bool:
    """Tell whether the innermost line of Python is the job's own."""
    return bool(raised.frames) and is_own(raised.frames[0])


def _is_own_code(raised: Raised) -> bool:
    """Tell whether the job's own code raised it, not a library that it called."""
    # torch raises RuntimeError from C++, so that the script's line is the innermost one of Python
    return "RuntimeError" not in raised.error.text.partition(":")[0] or raised.code.startswith("raise ")


def _of_own_error(own: Raised | None, raised: Sequence[Raised], lines: Sequence[Line]) -> list[Clue]:
    if own is None or not _is_own_line(own) or SAID.search(own.error.text.lower()):
        return []
    certain = _is_own_code(own)
    if not certain and not _others_waited(own.rank, raised, lines):
        return []
    who = f"rank {own.rank}" if own.rank is not None else "the job"
    text = f"{who} raised {own.error.text[:200]} in {told(own.frames[0])}"
    weight = _OWN_CODE if certain else _OWN_LINE
    return [Clue("exception-in-user-code", weight, own.error.file, own.error.number, text)]


def _others_waited(rank: str | None, raised: Sequence[Raised], lines: Sequence[Line]) -> bool:
    """Tell whether other ranks only waited: what this one raised is then what there is to mend."""
    waited = any(each.waited and each.rank != rank for each in raised)
    return waited or any(line.rank != rank and "Watchdog caught" in line.text for line in lines)


def _of_who_did_not_come(raised: Sequence[Raised], lines: Sequence[Line], stacks: Mapping[int, Stack]) -> list[Clue]:
    """Return what a rank was last at that never came to the collective in which the others timed out."""
    if not all(_TIMED_OUT.search(each.error.text) for each in raised):
        return []
    last = {line.rank: line for line in lines if line.rank is not None}
    at_work = {rank: line for rank, line in last.items() if int(rank) not in stacks}
    if len(at_work) != 1 or not stacks:
        return []
    [(rank, line)] = at_work.items()
    waits = " ".join(told(frame) for stack in stacks.values() for frame in stack.own[:1])
    text = f"the others timed out in {waits}; rank {rank} did not come, its last line is: {line.text[:120]}"
    for pattern, cause in _AT_WORK:
        if pattern.search(line.text):
            return [Clue(cause, _SURE, line.file, line.number, text)]
    return []


def _of_sizes(line: Line, one: int, other: int, still: Standstill, stacks: Mapping[int, Stack]) -> list[Clue]:
    """Return what gloo's complaint of a message of another size says: the ranks were in different collectives."""
    text = f"a rank got {one} bytes where it expected {other}: the ranks were in different collectives"
    weights = {"peer-rank-died-first": _NOBODY_DIED_BEFORE}
    smaller, larger = sorted((one, other))
    of_another_type = bool(smaller) and larger / smaller in _DTYPE_RATIOS
    if still.hang is None:
        weights |= _apart(stacks, of_another_type=of_another_type)
    elif of_another_type:
        weights["rank-dtype-mismatch-in-broadcast"] = _LIKELY
    return [Clue(cause, weight, line.file, line.number, text) for cause, weight in weights.items()]


def _apart(stacks: Mapping[int, Stack], *, of_another_type: bool) -> dict[str, float]:
    """Return weights where ranks were in different collectives, and are now in one place or known in part."""
    alike = len(stacks) > 1 and len({stack.own[:1] for stack in stacks.values()}) == 1
    places = " ".join(frame.function for stack in stacks.values() for frame in stack.own)
    in_the_model = any(_IN_THE_MODEL.search(frame.file) for stack in stacks.values() for frame in stack.frames)
    if of_another_type and _broadcasts(stacks):
        return {"rank-dtype-mismatch-in-broadcast": _SURE, "collective-order-mismatch": _POSSIBLE}
    if _ASIDE.search(places):
        return {"rank-conditional-collective": _SURE}
    if in_the_model:  # the units gather in the order in which the forward calls them, shards of one size
        if of_another_type:  # units of just twice the size are rarer than weights of another type
            return {"rank-dtype-mismatch-in-broadcast": _SURE, "conditional-branch-per-rank": _LIKELY}
        return {"conditional-branch-per-rank": _SURE if alike else _LIKELY, "collective-order-mismatch": _POSSIBLE}
    if stacks:  # in one and the same call, with something else in it
        return {"collective-order-mismatch": _SURE if alike else _LIKELY, "dtensor-from-local-uneven": _POSSIBLE}
    return {"collective-order-mismatch": _POSSIBLE, "rank-conditional-collective": _LIKELY}


def _broadcasts(stacks: Mapping[int, Stack]) -> bool:
    return any(frame.function.startswith("broadcast") for stack in stacks.values() for frame in stack.frames)
