"""Port taken by another/left-over job or a duplicate rank."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="master-port-in-use",
    card="store-port-in-use",
    signs=(
        Sign(
            6.0,
            r"eaddrinuse|address already in use|errno: 98|failed to (?:bind|listen)",
        ),
        Sign(
            4.0,
            (
                r"port~(?:in use|taken|occupied|busy|already used|not free|conflict|clash)|(?:two|second"
                r"|another|left-?over|previous|zombie) (?:job|run|process)\w*~(?:same )?\bport"
            ),
        ),
        Sign(
            -3.0,
            r"ntasks.?per.?node ?=? ?[2-9]|ntasks-per-node=[2-9]",
        ),
    ),
    confirm="ss -ltnp shows nobody on the port before the start",
)
