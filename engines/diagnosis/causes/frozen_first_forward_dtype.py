"""FSDP2 dtypes fixed while everything was frozen."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="frozen-first-forward-dtype",
    card="frozen-first-forward-dtype",
    signs=(
        Sign(
            5.0,
            r"attempting to assign a gradient with dtype",
        ),
        Sign(
            4.0,
            (
                r"(?:frozen|freez\w+)~(?:first forward|at first|warm-?up|later|then|initially"
                r"|epoch)~(?:unfro[sz]en|unfreez\w*|requires_grad)|unfre?[eo]\w+~(?:later|after|epoch|step"
                r"|mid)"
            ),
            r"dtype|grad|assertion|bf16|bfloat16",
        ),
        Sign(
            -3.0,
            OOM + r"|flatten",
        ),
    ),
    confirm="a run that trains from the first forward passes",
)
