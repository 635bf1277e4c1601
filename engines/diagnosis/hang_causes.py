"""What a standstill says of its cause: by where the ranks are in the job's own code."""

import re
from collections.abc import Iterable, Mapping

from engines.diagnosis.clue import Clue
from engines.diagnosis.hang import Standstill
from engines.diagnosis.recorder import Frame
from engines.diagnosis.stacks import Stack, told

_SAVES = re.compile(r"sav(?:e|ing)|checkpoint|export|state_dict", re.IGNORECASE)
_ASIDE = re.compile(r"eval|valid|generat|sampl|\blog|infer|predict|test_", re.IGNORECASE)
_GENERATES = re.compile(r"generat|rollout|_sample\b|decode", re.IGNORECASE)
_TRAINS = re.compile(r"train|forward|backward|step|epoch|unshard|post_backward|pre_forward", re.IGNORECASE)
_IN_THE_MODEL = re.compile(r"torch/(?:nn/modules/module|autograd/|distributed/fsdp/)")
_PREPARES = re.compile(
    r"tokeni[sz]|download|preprocess|prepare_data|build_dataset|from_pretrained|\bmap\b", re.IGNORECASE
)
_LOADS = re.compile(r"batch|__next__|_next_data|fetch|collate|__getitem__|dataloader|read_shard", re.IGNORECASE)
_EXPERTS = re.compile(r"expert|moe", re.IGNORECASE)
_SURE, _LIKELY, _POSSIBLE = 7.0, 4.0, 2.0


def clues_of(found: Standstill, stacks: Mapping[int, Stack], file: str, line: int = 1) -> list[Clue]:
    """Return what a standstill says for causes.

    Args:
        found: The standstill.
        stacks: Stack of the main thread of each rank.
        file: File to name as the source.
        line: 1-based line there.
    """
    hang = found.hang
    if hang is None:
        return []
    if hang.kind == "crossed":
        return [Clue("multi-communicator-deadlock", _SURE, file, line, hang.text)]
    culprits = [int(rank) for rank in hang.culprits]
    others = [int(rank) for rank in hang.waiting if rank not in hang.culprits]
    if hang.kind == "mismatch":
        weights = _parted(found, stacks, culprits, others)
    else:
        weights = _absent(culprits, _names(culprits, found, stacks))
    return [Clue(cause, weight, file, line, hang.text) for cause, weight in weights.items()]


def _parted(found: Standstill, stacks: Mapping[int, Stack], culprits: list[int], others: list[int]) -> dict[str, float]:
    """Return weights where ranks are in different collectives."""
    there, here = _names(culprits, found, stacks), _names(others, found, stacks)
    aside = [bool(_ASIDE.search(text) or _SAVES.search(text)) for text in (there, here)]
    ops = _operations(found, stacks)
    dtypes = {entry.dtypes for entry in found.entries.values()}
    if aside[0] != aside[1]:
        return _one_is_aside(culprits if aside[0] else others, there + here)
    if len(ops) == 1 and len(dtypes) > 1:
        return {"rank-dtype-mismatch-in-broadcast": _SURE}
    if all(aside) and _GENERATES.search(there) and _GENERATES.search(here):
        return {"generate-unsynced-lengths": _SURE}
    if _trains(there, culprits, found, stacks) != _trains(here, others, found, stacks):
        return {"uneven-batches-per-rank": _SURE, "rank-divergent-decision": _LIKELY}
    if len(ops) == 1 or _all_in_the_model([*culprits, *others], found, stacks):
        moe = _EXPERTS.search(there + here)
        return {
            "moe-data-dependent-experts" if moe else "conditional-branch-per-rank": _SURE,
            "dtensor-from-local-uneven": _POSSIBLE,
        }
    return {"collective-order-mismatch": _SURE, "conditional-branch-per-rank": _LIKELY}


def _one_is_aside(ranks: list[int], places: str) -> dict[str, float]:
    """Return weights where some ranks save or evaluate while the others train.

    A guard lets rank 0 through. Where rank 0 trains on and others are in what follows the epoch, they ended it earlier.
    """
    guarded = 0 in ranks or _SAVES.search(places) is not None
    first, second = "rank-conditional-collective", "uneven-batches-per-rank"
    weights = {first: _SURE, second: _POSSIBLE} if guarded else {second: _SURE, first: _LIKELY}
    if _GENERATES.search(places):
        weights["generate-unsynced-lengths"] = _LIKELY
    return weights


def _operations(found: Standstill, stacks: Mapping[int, Stack]) -> set[str]:
    """Return the operations in which the ranks are; the call that waits for one says less."""
    if found.entries:
        return {entry.op for entry in found.entries.values()}
    return {_operation(stack) for stack in stacks.values()}


def _operation(stack: Stack) -> str:
    names = [frame.function for frame in stack.frames if re.search(r"torch/distributed/distributed_c10d", frame.file)]
    return next((name for name in reversed(names) if name not in ("wrapper", "wait")), stack.collective or "")


def _trains(places: str, ranks: Iterable[int], found: Standstill, stacks: Mapping[int, Stack]) -> bool:
    """Tell whether ranks are in the training: by the names of their functions, or because they are in the model."""
    if _TRAINS.search(places):
        return True
    known = [stacks[rank] for rank in ranks if rank in stacks and rank not in found.entries]
    return any(_IN_THE_MODEL.search(frame.file) for stack in known for frame in stack.frames)


def _all_in_the_model(ranks: Iterable[int], found: Standstill, stacks: Mapping[int, Stack]) -> bool:
    """Tell whether ranks of which the stacks are known are all in the model: its units set the order there."""
    known = [stacks[rank] for rank in ranks if rank in stacks and rank not in found.entries]
    return bool(known) and all(any(_IN_THE_MODEL.search(frame.file) for frame in stack.frames) for stack in known)


def _absent(culprits: list[int], there: str) -> dict[str, float]:
    """Return weights where a rank did not come."""
    if _SAVES.search(there):
        return {"slow-save-exceeds-timeout": _LIKELY, "rank-conditional-collective": _POSSIBLE}
    if _PREPARES.search(there) or (_ASIDE.search(there) and not _LOADS.search(there)):
        return {"rank0-slow-work-before-collective": _SURE if 0 in culprits else _LIKELY}
    if _LOADS.search(there):
        return {"one-rank-waits-for-data": _SURE}
    return {"rank-divergent-decision": _POSSIBLE, "uneven-batches-per-rank": _POSSIBLE}


def _names(ranks: Iterable[int], found: Standstill, stacks: Mapping[int, Stack]) -> str:
    """Return the places of the job's own code in which some ranks are."""
    frames: list[Frame] = []
    for rank in ranks:
        if rank in found.entries and found.entries[rank].frames:
            frames += Stack(None, found.entries[rank].frames).own
        elif rank in stacks:
            frames += stacks[rank].own
    return " ".join(told(frame).partition("(")[0] for frame in frames)
