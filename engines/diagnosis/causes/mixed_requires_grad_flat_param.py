"""Frozen + trainable in one flat parameter."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="mixed-requires-grad-flat-param",
    card="fsdp1-frozen-mix",
    signs=(
        Sign(
            6.0,
            (
                r"uniform .?requires_grad|does not support wrapping such modules when .?use_orig_params"
                r"|both parameters with requires_grad=true and false. (?:fsdp )?does not support"
            ),
        ),
        Sign(
            4.0,
            r"frozen",
            r"trainable",
            r"refus|wrap|flat|use_orig_params|error",
            r"use_orig_params|flat|wrap",
        ),
        Sign(
            -4.0,
            r"memory usage will be higher|" + OOM,
        ),
        Sign(
            -3.0,
            r"use_orig_params\W{0,3}(?:is )?(?:=|:)? ?true",
        ),
    ),
    confirm="construction passes; frozen and trainable parameters are in units of their own",
)
