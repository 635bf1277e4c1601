"""Loss computed/reported in bf16."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="bf16-loss-no-autocast",
    card="bf16-loss-no-autocast",
    signs=(
        Sign(
            4.0,
            (
                r"loss~(?:moves?|jumps?|changes?|goes|comes|takes)~(?:in (?:\w+ )?(?:steps|increments)|multiples)"
                r"|loss~(?:quanti[sz]ed|coarse|rounded|staircase|granular)|steps of (?:1/\d+|0\.\d+)~loss"
            ),
        ),
        Sign(
            3.0,
            (
                r"(?:loss|cross.?entropy|logits)~(?:computed|calculated|reported|logged|returned|is"
                r"|are)~(?:in )?(?:bf16|bfloat16)"
            ),
        ),
        Sign(
            2.0,
            r"no autocast|without autocast",
            r"loss",
        ),
        Sign(
            -3.0,
            OOM,
        ),
    ),
    cost="fp32 logits: 4 bytes for each token and word of the vocabulary",
    confirm="the logged loss takes values between the former steps",
)
