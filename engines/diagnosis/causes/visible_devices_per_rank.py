"""Visible devices per rank.

CUDA_VISIBLE_DEVICES restricts each task to one GPU while the code still indexes by local rank (or expects
all GPUs).
"""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="visible-devices-per-rank",
    card="visible-devices-per-rank",
    signs=(
        Sign(
            5.0,
            r"cuda_visible_devices|gpus-per-task|gpu-bind|gpus_per_task",
            r"ordinal|single gpu|one gpu|only|local_?rank|localid|each (?:task|rank|process)|duplicate|sees",
        ),
        Sign(
            3.0,
            r"invalid device ordinal",
            r"srun|slurm|task|all ranks but",
        ),
        Sign(
            -3.0,
            r"pci_bus_id|devices ?= ?\[|local_rank: \d+ - cuda_visible_devices",
        ),
    ),
    confirm="each task prints torch.cuda.device_count()",
)
