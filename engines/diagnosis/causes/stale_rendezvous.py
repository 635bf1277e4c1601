"""The ranks meet through what an earlier run left behind."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="stale-rendezvous",
    card="stale-rendezvous",
    signs=(
        Sign(
            4.0,
            r"connectfullmesh failed[^\n]{0,200}(?:connect timeout|timed out connecting|connection refused)",
        ),
        Sign(
            5.0,
            r"file://|filestore|rendezvous (?:file|folder|store)|init_method",
            (
                r"left ?-?over|left behind|stale|old (?:file|run|job)|previous (?:run|job|start)"
                r"|earlier run|second time|still there|rm the|delet"
            ),
        ),
        Sign(
            -3.0,
            r"two (?:nodes|machines)|second (?:node|machine)|other (?:node|machine)|eaddrinuse",
        ),
    ),
    confirm="the file is gone before the start, and the ranks meet",
)
