"""Pinned host memory is cached, not freed."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="host-ram-pinned-cache",
    card="host-ram-pinned-cache",
    signs=(
        Sign(
            5.0,
            r"pinned|pin_memory|page.?locked",
            r"\brss\b|host (?:ram|memory)|\bram\b",
            r"cache|not (?:freed|returned|released)|stays|power of two|double|twice|grow",
        ),
        Sign(
            4.0,
            r"\brss\b|host (?:ram|memory)|cpu memory",
            r"stays? high|not (?:go|come) down|not (?:freed|released|returned)|does not change",
            r"offload|delet|gc\.collect|empty_cache",
        ),
        Sign(
            -3.0,
            r"pin_memory=false|cuda error",
        ),
    ),
    cost="unpinned transfers are slower",
    confirm="RSS of a fresh process after the same work",
)
