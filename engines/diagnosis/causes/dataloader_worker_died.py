"""A DataLoader worker was killed or exited."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="dataloader-worker-died",
    card="dataloader-worker-died",
    signs=(
        Sign(
            6.0,
            (
                r"dataloader worker \(pid(?:\(s\))? [\d, ]+\) (?:exited unexpectedly"
                r"|is killed by signal: (?!bus))"
            ),
        ),
        Sign(
            4.0,
            r"(?:data ?loader|loader) workers?~(?:killed|died|dies|exited|crash|segfault)",
        ),
        Sign(
            -4.0,
            r"bus error|shared memory|sigbus",
        ),
    ),
    outside="never_fsdp",
    confirm="dmesg -T names the worker; num_workers=0 passes or shows the error itself",
)
