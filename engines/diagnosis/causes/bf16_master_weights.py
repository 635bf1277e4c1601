"""Optimizer updates bf16 parameters (no fp32 master)."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="bf16-master-weights",
    card="low-precision-master-weights",
    signs=(
        Sign(
            4.0,
            (
                r"master (?:weights?|copy|param)~(?:bf16|bfloat16|half|lower precision)|(?:no|without|missing"
                r"|lost) (?:an? )?(?:fp32|float32)~master"
            ),
        ),
        Sign(
            3.0,
            (
                r"(?:optimi[sz]er|adamw?)~(?:updates?|states?|moments?|exp_avg|parameters?)~(?:bf16|bfloat16)"
                r"|(?:parameters?|weights)~(?:all |are |stay )~(?:bf16|bfloat16)~(?:optimi[sz]er|loss|update)"
            ),
        ),
        Sign(
            2.0,
            r"(?:cast|load(?:ed)?|stored|torch_dtype)~(?:bf16|bfloat16)",
            (
                r"loss~(?:plateau|stagnat|worse|no longer|flat|does not|stops|higher|stuck)|small updates"
                r"|updates (?:vanish|are lost|disappear|rounded)"
            ),
        ),
        Sign(
            -4.0,
            r"frozen|" + OOM + r"|mat1 and mat2|checkpointerror|flatten",
        ),
    ),
    cost="12 instead of 6 bytes for each parameter of optimizer and weights, over the ranks",
    confirm="the share of weights that one step changes rises from near 0 to near 1",
)
