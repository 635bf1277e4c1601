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
    ),
)
