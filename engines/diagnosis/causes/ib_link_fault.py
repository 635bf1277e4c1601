"""Faulty InfiniBand link/node."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="ib-link-fault",
    card="ib-link-fault",
    signs=(
        Sign(
            4.0,
            (
                r"port error|async event|link (?:down|flap|went|fail)|cable|symbol errors?|link_downed"
                r"|port_rcv_errors"
            ),
        ),
        Sign(
            3.0,
            r"status=12|completion from peer|vendor err 129|transport retry",
            (
                r"(?:one|a) (?:particular|certain|specific|single) (?:host|node|machine)|follows?~(?:host|node)"
                r"|same (?:host|node|pair)|intermittent"
                r"|hours|days|after (?:\d+|several|many) (?:hours|steps|days)|always (?:it is )?node|same node"
                r"|one node|in the middle"
            ),
        ),
        Sign(
            2.0,
            r"ncclremoteerror|connection reset by peer",
            r"network error|ib|infiniband",
        ),
        Sign(
            1.0,
            r"got completion (?:from|with)",
        ),
        Sign(
            -3.0,
            r"\broce|\bgid\b|first collective|\w+error: .labels",
        ),
    ),
    cost="the node is out of service",
    confirm="ibdiagnet, and the same job without that node",
)
