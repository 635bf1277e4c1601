"""What would decide an open case: three things at most, as exact commands for what is missing here."""

import re

from engines.diagnosis.cause import HANG, OOM
from engines.diagnosis.reading import Reading

_LOGS = (
    "the logs of all ranks, of the one that ended first above all: torchrun --log-dir=LOGS --redirects=3 --tee=3 ..."
)
_DEBUG = (
    "a run with TORCH_DISTRIBUTED_DEBUG=DETAIL NCCL_DEBUG=INFO TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_FR_BUFFER_SIZE=2000"
)
_KERNEL = "after a kill without a message: dmesg -T | tail -50 on the machine"
_PHASE = (
    "in which phase memory ran out (forward, loss, backward, optimizer step, evaluation, save), and in which step: the"
    " whole traceback of the rank that ran out"
)
_STACKS = "where a rank waits: py-spy dump --pid PID on each rank; after a kill without a message: dmesg -T | tail -50"
_HANG = re.compile(HANG.replace(" ", r"\s"))
_OOM = re.compile(OOM)
_IDLE = re.compile(r"(?:gpu|rank|card)\s?(\d{1,4})\b.{0,40}?(?:idle|\b0\s?%)")
_BANNER = re.compile(r"childfailederror|exitcode ?: ?-?\d|failed \(exitcode")
_THINGS = 3


def needed(text: str, reading: Reading, diverged: str | None) -> tuple[str, ...]:
    """Return what to collect, what would decide most first.

    Args:
        text: Lower-case text that was read.
        reading: What was read.
        diverged: Rank that left the others first, where that is known.
    """
    things: list[str] = []
    idle = _IDLE.search(text)
    rank = idle[1] if idle else diverged
    if _HANG.search(text):
        if not reading.stacks:
            which = f"of rank {rank} first (it is the one apart), then of one that waits" if rank else "of each rank"
            things.append(f"the stacks {which}, while it hangs: py-spy dump --pid PID")
        if not reading.recordings:
            things.append(
                "the flight recorder of all ranks: TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1"
                " TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/shared/fr_rank_ before the start, then give the folder"
            )
    elif _OOM.search(text):
        if "traceback" not in text:
            things.append(_PHASE)
        things.append(
            "a memory snapshot of the rank that runs out: torch.cuda.memory._record_memory_history() at the start,"
            " torch.cuda.memory._dump_snapshot('oom.pickle') in an except torch.OutOfMemoryError"
        )
        things.append(
            "the model, GPU count, sequence length and micro-batch, for the memory model: fsdp-agent plan ..."
        )
    elif _BANNER.search(text):
        things.append(
            "the worker's own traceback: decorate main() with torch.distributed.elastic.multiprocessing.errors.record"
            " and set TORCHELASTIC_ERROR_FILE=/shared/error.json"
        )
        things.append(_KERNEL)
    for thing in (_LOGS, _DEBUG, _STACKS):
        if len(things) < _THINGS and thing not in things:
            things.append(thing)
    return tuple(things[:_THINGS])
