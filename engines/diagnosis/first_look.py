"""A first look at a failure: what failed first, and what to collect. No cause is named."""

import re

from contracts.diagnosis import Diagnosis

# "torch.OutOfMemoryError: CUDA out of memory", "ValueError: ...", with a rank's prefix before it
_ERROR_LINE = re.compile(r"\b(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Interrupt|Exit)\b ?: ?\S")
_MAX_CHARS = 400
_COLLECT = (
    "TORCH_DISTRIBUTED_DEBUG=DETAIL",
    "NCCL_DEBUG=INFO",
    "TORCH_FR_BUFFER_SIZE=2000",
    "TORCH_NCCL_DUMP_ON_TIMEOUT=1",
)


def first_look(
    *, reason: str = "", log: str = "", run_dir: str | None = None, paths: tuple[str, ...] = ()
) -> Diagnosis:
    """Return an `unknown` diagnosis with the first failure that can be seen.

    Args:
        reason: Why the runner says that the run ended.
        log: The last lines of the ranks' logs.
        run_dir: Folder of a run of ours; None for a failure elsewhere.
        paths: What the caller gave to read.
    """
    seen = next((line.strip() for line in log.splitlines() if _ERROR_LINE.search(line)), None)
    needed = [f"all rank logs: {run_dir}"] if run_dir else [f"read but not judged yet: {path}" for path in paths]
    if not (run_dir or paths):
        needed = ["the logs of all ranks, as files or a folder"]
    first = seen or reason or None
    return Diagnosis(
        verdict="unknown",
        first_failure=first[:_MAX_CHARS] if first else None,
        needed=(*needed, *_COLLECT),
    )
