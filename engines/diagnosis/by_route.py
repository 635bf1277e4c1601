"""What libraries and schedulers say whatever happened, and the many words for one kill; both are told once, here."""

import re

from engines.diagnosis.cause import HOST_KILLED

_BY_ROUTE = re.compile(
    r"This is typically caused by a remote worker hanging or bugs in the application\..{0,120}|/__w/pytorch\S*/"
    r"|Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run"
    r" on \S{0,20}/?\S{0,20} data\.?"
    r"|(?:to avoid|avoid(?:ing)?) (?:this|data) inconsistency,?|including non-pytorch memory,?"
    r"|If reserved (?:but unallocated )?memory is .{0,160}?to avoid fragmentation\.?"
    r"|See documentation for Memory Management.{0,120}",
    re.DOTALL | re.IGNORECASE,
)
"""What gloo, NCCL's watchdog and the allocator say whatever happened: advice is no sign."""
_HOST_KILL = re.compile(
    r"(?i:\boom[-_]kill\b|\boom[ -]?killed\b|\btasks? [\d,-]+: out of memory\b"
    r"|(?:memory cgroup )?\bout of memory: killed process\b)|\bOUT_OF_MEMORY\b"
)
"""A kill over the machine's memory, in the words of Slurm, Kubernetes and the kernel; GPU memory did not run out."""

_IN_VAIN = re.compile(
    r"(?:\b(?:setting|with|tried|set|even with) )?\b(?:NCCL|GLOO|PYTORCH|TORCH|CUDA|OMP)_[A-Z_]{3,60}\b"
    r"(?:=[\w.:,/-]{1,40})?"
    r"(?=,? (?:(?:was|were|has been) )?(?:(?:already |also )?tried\b|did(?: not|n't) (?:help|change|matter)"
    r"|does(?: not|n't) (?:help|change|matter)|has no effect|had no effect|made no difference|makes no difference"
    r"|change[sd]? nothing|in vain|without success))"
)
"""A variable that was set and did not help: what it is for is not the cause."""


def as_told(text: str) -> str:
    """Return a line without advice and what was tried in vain, and with one word for a kill over host memory.

    Args:
        text: A line of a log.
    """
    return _HOST_KILL.sub(HOST_KILLED, _IN_VAIN.sub("", _BY_ROUTE.sub("", text)))
