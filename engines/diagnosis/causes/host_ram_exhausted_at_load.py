"""Host RAM too small to load the checkpoint (one process is enough)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="host-ram-exhausted-at-load",
    card="host-ram-exhausted-at-load",
    signs=(
        Sign(
            4.0,
            r"exitcode ?: ?-9|signal 9|sigkill|\bkilled\b|out of (?:host|system|cpu) (?:memory|ram)",
            r"checkpoint shards|from_pretrained|load",
            r"nproc.per.node[= ]1\b|one process|single process|one gpu|single gpu",
        ),
        Sign(
            3.0,
            r"exitcode ?: ?-9|signal 9|sigkill|\bkilled\b",
            r"loading checkpoint shards",
        ),
        Sign(
            -3.0,
            r"every process|each calls|five processes|eight times|pinned|grow",
        ),
        Sign(
            -4.0,
            r"(?:one|a single) process alone|alone~(?:loads|fine|works|passes)",
        ),
    ),
    outside="without_fsdp",
    confirm="dmesg -T shows the OOM killer; the peak of VmHWM is below the machine's memory",
)
