"""Record stream memory.

FSDP1 record_stream keeps freed all-gather buffers until the CPU catches up; peak depends on timing
(limit_all_gathers).
"""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="record-stream-memory",
    card="record-stream-memory",
    signs=(
        Sign(
            6.0,
            r"record_stream|recordstream|limit_all_gathers|torch_nccl_avoid_record_streams",
        ),
        Sign(
            3.0,
            r"(?:cpu|host)~(?:ahead|far ahead|runs ahead)",
            r"memory|" + OOM,
        ),
        Sign(
            2.0,
            r"peak~(?:varies|differ|fluctuat|non-?determin|timing|run to run)",
            r"fsdp1|fsdp|memory",
        ),
        Sign(
            3.5,
            r"(?:fast|slow)\w* (?:cpu|host|node|machine)",
            r"reserved|peak",
            r"fsdp",
        ),
        Sign(
            3.0,
            r"all.?gather (?:output|buffer|result|tensor)s?",
            r"alive|long after|not freed|pile|stack(?:ing)? up|memory snapshot",
        ),
    ),
    confirm="peak reserved memory is equal on slow and fast hosts",
)
