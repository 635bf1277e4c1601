"""Host RAM runs out at load time because every rank holds a full copy of the checkpoint."""

from engines.diagnosis.cause import HOST_KILLED, CauseRule, Sign

RULE = CauseRule(
    cause="host-ram-load-all-ranks",
    card="every-rank-loads-full-checkpoint",
    signs=(
        Sign(
            4.0,
            (
                r"(?:every|each|all|\d|eight|four|five|two|sixteen) ?(?:ranks?|process(?:es)?"
                r"|workers?)~(?:load|hold|copy|cop(?:y|ies)|from_pretrained|torch\.load|read)~(?:full|whole"
                r"|copy|checkpoint|entire|model)"
            ),
            r"\bram\b|host|cpu|killed|-9|sigkill|memory|from_pretrained",
        ),
        Sign(
            3.0,
            r"exitcode ?: ?-9|signal 9|sigkill|oom.?killer|\bkilled\b",
            r"load|from_pretrained|checkpoint shards|torch\.load",
        ),
        Sign(
            3.0,
            (
                r"(?:cpu memory|system ram|host (?:ram|memory)|\bram\b)~(?:ran out|run out|out of|exhaust"
                r"|times the model)|(?:ran|run|runs|running) out of (?:cpu memory|system ram|host|ram)"
            ),
            r"load|checkpoint",
        ),
        Sign(
            2.0,
            r"exitcode ?: ?-9|signal 9|sigkill|\bkilled\b",
            r"fsdp",
            r"gpus|ranks|process",
        ),
        Sign(
            2.0,
            r"cpu_ram_efficient_loading|low_cpu_mem_usage",
            r"\bram\b|\bkilled\b|exitcode ?: ?-9|host memory|cpu memory",
        ),
        Sign(
            -2.5,
            r"--nproc_per_node=1\b|nproc-per-node=1\b|one process|single process",
        ),
        Sign(
            -3.0,
            r"pinned|deleted|gc\.collect|inference",
        ),
        Sign(
            5.0,
            HOST_KILLED + r"|\bkilled\b",
            r"loading checkpoint shards|from_pretrained|torch\.load|load\w* (?:the )?(?:model|weights|checkpoint)",
            (
                r"tasks? \d+-\d|detected [2-9] oom|\(x ?\d+\)|\b(?:[2-9]|\d\d+|eight|four|two|sixteen) (?:processes"
                r"|ranks|workers|tasks)|every (?:rank|process)|nproc[-_]per[-_]node[= ](?:[2-9]|\d\d)"
            ),
        ),
    ),
    cost="ranks wait for rank 0 to read",
    confirm="VmHWM of ranks other than 0 stays far below the checkpoint's size",
)
