"""Frozen + trainable in one unit: full-size gradient."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="mixed-requires-grad-grad-memory",
    card="mixed-requires-grad-grad-memory",
    signs=(
        Sign(
            6.0,
            r"gradient memory usage will be higher than expected",
        ),
        Sign(
            4.0,
            r"frozen|non-trainable|lora",
            r"wrap|flat|unit|block",
            r"memory~(?:higher|consumption|meaningless|lost|gone)|(?:higher|more)~memory",
        ),
        Sign(
            4.0,
            r"frozen|lora|peft|adapter",
            r"gradient",
            (r"full.?size|as much|same memory|memory~full fine-?tun|too much|whole (?:flat|layer|block)" r"|not lower"),
            r"memory|" + OOM,
        ),
    ),
    confirm="max_memory_allocated() falls by the gradients of the frozen part",
)
