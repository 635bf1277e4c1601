"""Container /dev/shm too small for NCCL."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="docker-shm-too-small",
    card="docker-shm-too-small",
    signs=(
        Sign(
            6.0,
            (
                r"error while creating shared memory segment|/dev/shm/nccl|posix_fallocate failed"
                r"|failed to extend /dev/shm"
            ),
        ),
        Sign(
            4.0,
            r"/dev/shm|shared memory|shm",  # noqa: S108
            r"nccl",
            r"64 ?m|no space|too small|full|docker|container|pod|kubernetes|bus error",
        ),
        Sign(
            1.0,
            r"unhandled system error",
            r"docker|container|pod",
        ),
        Sign(
            -3.0,
            r"dataloader worker|num_workers",
        ),
        Sign(
            4.5,
            r"ipc[= ]?host|shm[-_]size|emptydir",
            r"nccl|collective|ranks|gpus",
        ),
    ),
    confirm="df -h /dev/shm in the container; NCCL initialises",
)
