"""Pinning of offloaded shards fails."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="offload-pin-memory-failure",
    card="cpu-offload-pin-memory",
    signs=(
        Sign(
            5.0,
            r"pin_memory|pin memory|pinning|cudahostalloc|cudahostregister|page.?lock",
            r"offload",
            r"fail|error|cannot|wsl|limit|without",
        ),
        Sign(
            4.0,
            r"pin_memory~(?:error|fail|false)|(?:error|fail)\w*~\bpin(?:ned|ning|_memory)?\b",
            r"offload|fully_shard|fsdp",
        ),
        Sign(
            1.0,
            r"wsl",
        ),
        Sign(
            -3.0,
            r"stays high|\brss\b|deleted",
        ),
    ),
    cost="unpinned transfers are slower",
    confirm="ulimit -l, and the same run with pin_memory=False",
)
