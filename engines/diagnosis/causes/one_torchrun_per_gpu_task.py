"""Srun starts torchrun once per GPU."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="one-torchrun-per-gpu-task",
    card="slurm-double-spawn",
    signs=(
        Sign(
            5.0,
            r"srun~torchrun|torchrun~srun",
            (
                r"ntasks.per.node ?=? ?(?:[2-9]|\d\d)|ntasks ?=? ?(?:[2-9]|\d\d)|one task (?:for each|per) gpu"
                r"|(?:per|once) (?:each )?gpu"
            ),
        ),
        Sign(
            4.0,
            (
                r"\b(?:8|eight|four|4|several|many) torchruns|torchrun~(?:once for each|per task|per gpu"
                r"|\d+ times)|(?:16|64|32|nproc) (?:python )?processes~(?:node|gpus|8)"
            ),
        ),
        Sign(
            1.0,
            r"rank (\d+) and rank 1?\d both on cuda device",
        ),
        Sign(
            -3.0,
            r"one torchrun per node|slurm_procid",
        ),
    ),
    confirm="one torchrun and nproc workers on each node in ps",
)
