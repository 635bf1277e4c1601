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
_PREPARES = re.compile(
    r"tokeni[sz]|download|preprocess|prepare_data|build_dataset|from_pretrained|\bmap\b", re.IGNORECASE
)
_LOADS = re.compile(r"batch|__next__|_next_data|fetch|collate|__getitem__|dataloader|read_shard", re.IGNORECASE)
_EXPERTS = re.compile(r"expert|moe", re.IGNORECASE)
_SURE, _LIKELY, _POSSIBLE = 7.0, 4.0, 2.0


def clues_of(found: Standstill, stacks: Mapping[int, Stack], file: str) -> list[Clue]:
    """Return what a standstill says for causes.

    Args:
        found: The standstill.
        stacks: Stack of the main thread of each rank.
        file: File to name as the source.
    """
    hang = found.hang
    if hang is None:
        return []
    if hang.kind == "crossed":
        return [Clue("multi-communicator-deadlock", _SURE, file, 1, hang.text)]
    culprits = [int(rank) for rank in hang.culprits]
    others = [int(rank) for rank in hang.waiting if rank not in hang.culprits]
    there = _names(culprits, found, stacks)
    here = _names(others, found, stacks)
    weights = _parted(found, there, here) if hang.kind == "mismatch" else _absent(culprits, there)
    return [Clue(cause, weight, file, 1, hang.text) for cause, weight in weights.items()]


def _parted(found: Standstill, there: str, here: str) -> dict[str, float]:
    """Return weights where ranks are in different collectives."""
    aside = [bool(_ASIDE.search(text) or _SAVES.search(text)) for text in (there, here)]
    ops = {entry.op for entry in found.entries.values()}
    dtypes = {entry.dtypes for entry in found.entries.values()}
    if aside[0] != aside[1]:
        weights = {"rank-conditional-collective": _SURE}
        if _GENERATES.search(there + here):
            weights["generate-unsynced-lengths"] = _LIKELY
        return weights
    if len(ops) == 1 and len(dtypes) > 1:
        return {"rank-dtype-mismatch-in-broadcast": _SURE}
    if all(aside) and _GENERATES.search(there) and _GENERATES.search(here):
        return {"generate-unsynced-lengths": _SURE}
    if bool(_TRAINS.search(there)) != bool(_TRAINS.search(here)):
        return {"uneven-batches-per-rank": _SURE, "rank-divergent-decision": _LIKELY}
    if len(ops) == 1:
        moe = _EXPERTS.search(there + here)
        return {
            "moe-data-dependent-experts" if moe else "conditional-branch-per-rank": _SURE,
            "dtensor-from-local-uneven": _POSSIBLE,
        }
    return {"collective-order-mismatch": _SURE, "conditional-branch-per-rank": _LIKELY}


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
