"""GPU memory used by NCCL (communicator buffers), not counted by PyTorch, is missing or cannot be allocated."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="nccl-buffers-outside-allocator",
    card="nccl-buffers-outside-allocator",
    signs=(
        Sign(
            5.0,
            r"failed to cuda calloc|nccl warn cuda failure .?(?:2 )?'?out of memory",
        ),
        Sign(
            4.0,
            (
                r"nvidia-smi~(?:more|higher|shows)~(?:than|used|gb)|(?:not counted|outside|non-pytorch"
                r"|not seen) (?:by |of )?(?:pytorch|torch)|non-pytorch memory"
            ),
            OOM + r"|memory|reserved",
        ),
        Sign(
            3.0,
            r"nccl|communicators?|process groups?",
            (
                r"(?:communicators?|groups?|each)~(?:\bgb|\bmb|gib|mib|memory)|buffers?~(?:memory|gb)"
                r"|nccl_buffsize|memory~(?:used|taken|held|allocated|eaten) by nccl"
            ),
            OOM + r"|nvidia-smi|memory",
        ),
        Sign(
            0.3,
            r"process has~memory in use",
            OOM,
        ),
        Sign(
            2.0,
            r"reserved by pytorch|memory_reserved",
            r"nvidia-smi|used by the process",
        ),
        Sign(
            -3.0,
            r"before the first save|2\.0\.0\+|duplicate gpu|1\.13",
        ),
        Sign(
            3.0,
            r"memory_(?:reserved|allocated)|reserved|allocated",
            r"nvidia-smi|used by (?:the )?process|driver",
            r"\bgap\b|less free|difference|missing|more than|\d+ gi?b more|not explained|unaccounted",
        ),
    ),
    quantity="outside_allocator",
    cost="room that PyTorch cannot use",
    confirm="nvidia-smi minus memory_reserved() at the peak",
)
