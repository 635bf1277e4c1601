"""RoCE GID/fabric misconfiguration."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="ib-roce-gid-timeout",
    card="ib-roce-gid-timeout",
    signs=(
        Sign(
            4.0,
            r"\broce|gid_index|\bgid\b",
            r"error 12|status=12|vendor err|timed out|timeout|time.?out|modify_qp|\bhang|unreachable",
        ),
        Sign(
            3.0,
            r"ibv_modify_qp|error 12, opcode|vendor err 129",
            r"first collective|first (?:all|communication|step|broadcast)|at start|init|timed out",
        ),
        Sign(
            2.0,
            r"got completion with error 12",
        ),
        Sign(
            -3.0,
            (
                r"hours|port error|intermittent|(?:one|a) (?:particular|certain|specific|single) (?:host|node"
                r"|machine)|follows?~(?:host|node)|same (?:host|node|pair)"
            ),
        ),
    ),
    confirm="ib_write_bw between the nodes, then all_reduce_perf",
)
