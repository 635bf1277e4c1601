"""FSDP did not cast buffers."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="buffer-dtype-not-cast",
    card="buffer-dtype-not-cast",
    signs=(
        Sign(
            5.0,
            r"buffer_dtype",
        ),
        Sign(
            3.0,
            (
                r"buffers?~(?:not cast|stay(?:s|ed)?|remain|kept|keeps?|still|is|are|in)~(?:fp32|float32|float"
                r"|half|fp16|bf16)"
            ),
        ),
        Sign(
            2.0,
            r"expected scalar type \w+ but found \w+|must have the same dtype|should be the same",
            r"buffer|running_mean|rotary|inv_freq|kernel",
        ),
        Sign(
            2.0,
            r"expected scalar type (?:half|bfloat16) but found float",
        ),
        Sign(
            4.0,
            r"(?:fp32|float32|float) (?:\w+ )?buffers?|(?:from|by|with) (?:the |an? )?(?:\w+ )?buffer",
            r"same dtype|expected scalar|must have the same|upcast",
        ),
        Sign(
            -3.0,
            r"dataclass|custom (?:class|object)|recomput",
        ),
    ),
    confirm="the dtype of the named buffer in the failing operation equals its partner's",
)
