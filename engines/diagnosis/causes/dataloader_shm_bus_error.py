"""DataLoader workers exhaust /dev/shm."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="dataloader-shm-bus-error",
    card="dataloader-shm-bus-error",
    signs=(
        Sign(
            5.0,
            (
                r"unexpected bus error encountered in worker"
                r"|dataloader worker \(pid ?\d*\)? is killed by signal: bus error"
                r"|dataloader'?s workers are out of shared memory"
            ),
        ),
        Sign(
            3.0,
            r"dataloader|data loader|num_workers|loader worker",
            r"bus error|shared memory|/dev/shm",
        ),
        Sign(
            3.0,
            r"bus error|sigbus",
            r"worker|shm|num_workers",
        ),
        Sign(
            -3.0,
            r"nccl warn|nccl-\w",
        ),
    ),
    outside="never_fsdp",
    confirm="df -h /dev/shm while training; num_workers=0 passes",
)
