"""The words that make a line one of trouble, found many at once; and the lines that stand in every log."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick

_TROUBLE = (
    "error", "exception", "traceback", "warn", "fail", "kill", "signal", "exitcode", "timeout", "timed out",
    "watchdog", "out of memory", "xid", "no space", "assert", "abort", "cannot", "mismatch", "guessing",
    "duplicate", "shared memory", "refused", "reset by peer", "closed by", "in use", "unallocated",
    "recompil", "last enqueued", "sigterm", "saving", "nccl version", "acsctl", "segfault", "bus error",
    "rank      :", "fallen off", "inf loss", "nan loss", "loss nan", "loss: nan",
)  # fmt: skip
BOILERPLATE = re.compile(
    r"OMP_NUM_THREADS environment variable"
    r"|^\s*(?:compute_environment|debug|downcast_bf16|machine_rank|main_training_function"
    r"|same_network|tpu_\w+|use_cpu|num_machines|rdzv_backend|mixed_precision|distributed_type|fsdp_state_dict_type"
    r"|fsdp_sync_module_states|fsdp_cpu_ram_efficient_loading|fsdp_backward_prefetch\w*|fsdp_sharding_strategy)\s*:\s*\S+$"
    r"|^\s*(?!\w*use_orig_params)\w+\s*[:=]\s*(?:false|none|null|'?no'?)$|^Loading checkpoint shards: 100%"
    r"|^Setting OMP|libcudnn|^Extension modules: |^\W+$"
    r"|use_cache=True.{0,60}is incompatible with gradient checkpointing"
    r"|^\S*(?: \S+)? ?\b(?:Future|Deprecation)Warning\b|^(?-i:wandb): "
    r"|^(?:\S+ ){0,4}NCCL INFO (?!(?:Bootstrap|NET/Socket) ?: Using (?:\[\d\])?(?:docker|lo|virbr|br-|veth"
    r"|\w+:(?:172\.1[7-9]|172\.2\d|192\.168\.122|169\.254|127)\.))",
    re.IGNORECASE,
)
"""Lines that stand in every log and every configuration; what they say is no sign of anything."""


@cache
def searcher() -> "BytesAhoCorasick":
    """Return what finds the words of trouble, in the ways in which logs write them."""
    # Imported where something is read: commands that read nothing do not pay for it.
    from ahocorasick_rs import BytesAhoCorasick

    return BytesAhoCorasick([word.encode() for word in literals()])


def literals() -> list[str]:
    """Return the words that make a line one of trouble, in the ways in which logs write them."""
    return sorted({way for word in _TROUBLE for way in (word, word.capitalize(), word.upper(), word.title())})
