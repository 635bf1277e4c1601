"""One rank OOM, others time out."""

from engines.diagnosis.cause import NCCL_TIMEOUT, OOM, CauseRule, Sign

RULE = CauseRule(
    cause="peer-oom-then-nccl-timeout",
    card="peer-oom-then-nccl-timeout",
    signs=(
        Sign(
            5.0,
            OOM,
            NCCL_TIMEOUT,
        ),
        Sign(
            3.0,
            r"one (?:rank|gpu|process|worker)|only rank \d+|a single rank",
            OOM,
            r"others?~(?:wait|\bhang|time|timeout|stuck)|time-?out",
        ),
        Sign(
            -3.0,
            r"\bsav(?:e|ing)\b|sleep",
        ),
        Sign(
            -4.0,
            r"\A(?=.)(?!.*(?:memory|" + OOM + r"))",
        ),
        Sign(
            4.0,
            (
                r"(?:one|single|only|the) (?:rank|gpu|process|worker)[^\n]{0,60}(?:\boom|out of (?:gpu )?memory)"
                r"|\b(?:rank|gpu|worker) ?\d+\b[^\n]{0,30}(?:\boom|out of (?:gpu )?memory)"
            ),
            r"(?:others?|rest|ranks? [\d, -]+)\b[^\n]{0,60}(?:wait|\bhang|watchdog|time|stuck|report|kill)",
        ),
    ),
    cost="speed or GPUs, by what is chosen",
    confirm="max_memory_allocated() of all ranks, the largest batch included",
)
