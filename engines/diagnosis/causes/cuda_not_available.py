"""CUDA or NCCL is asked for where there is no GPU."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="cuda-not-available",
    card="cuda-not-available",
    signs=(
        Sign(
            6.0,
            (
                r"torch not compiled with cuda enabled|found no nvidia driver|no cuda gpus are available"
                r"|doesn't have nccl built in|only supported with gpus, no gpus found"
                r"|torch\.cuda\.is_available\(\) is false"
            ),
        ),
        Sign(
            3.0,
            r"cpu.only (?:build|wheel|torch)|no gpus? (?:in|on|are|visible)|without (?:a )?gpu",
            r"cuda|nccl",
        ),
    ),
    outside="never_fsdp",
    confirm="torch.cuda.device_count() inside the job",
)
