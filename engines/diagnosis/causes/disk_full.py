"""The disk, a quota or a limit on file size ends a save."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="disk-full",
    card="disk-full",
    signs=(
        Sign(
            6.0,
            (
                r"no space left on device|disk quota exceeded|\[errno 27\] file too large|sigxfsz"
                r"|met its limit file_gib"
            ),
        ),
        Sign(
            4.0,
            r"disk~(?:full|no space|quota)|quota~(?:exceeded|full)|file size limit",
            r"checkpoint|sav|writ|\.distcp",
        ),
        Sign(
            -5.0,
            r"shared memory|\bshm\b|nccl",
        ),
    ),
    outside="never_fsdp",
    cost="the steps since the checkpoint before it",
    confirm="df -h and quota of the folder show room for two checkpoints",
)
