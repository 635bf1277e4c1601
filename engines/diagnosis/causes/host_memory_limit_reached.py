"""An allocation of host memory meets a limit of the process or of its control group."""

from engines.diagnosis.cause import HOST_KILLED, CauseRule, Sign

RULE = CauseRule(
    cause="host-memory-limit-reached",
    card="host-memory-limit-reached",
    signs=(
        Sign(
            6.0,
            r"met its limit memory_gib",
        ),
        Sign(
            5.0,
            (
                r"defaultcpuallocator: (?:can't allocate|not enough) memory|\bmemoryerror\b"
                r"|std::bad_alloc|error code 12 \(cannot allocate memory\)"
            ),
        ),
        Sign(
            6.0,
            HOST_KILLED,
        ),
        Sign(
            3.0,
            r"ulimit|rlimit|cgroup|control group|--mem\b|memory limit",
            r"allocat\w*|host (?:memory|ram)|cpu (?:memory|ram)",
        ),
        Sign(
            2.0,
            r"signal 9 \(sigkill\) received by pid",
        ),
        Sign(
            -8.0,
            (
                r"loading checkpoint shards|pipeline\(|inference|text.generation|ckpt_dir|from_pretrained|torch\.load"
                r"|pinned|pin_memory"
            ),
        ),
    ),
    cost="a smaller micro-batch takes more accumulation steps",
    confirm="VmHWM in /proc/PID/status stays below the limit",
)
