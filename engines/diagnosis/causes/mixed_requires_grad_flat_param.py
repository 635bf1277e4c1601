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
        Sign(
            4.0,
            (
                r"(?:layer|block|unit|module|group)[^\n]{0,60}(?:both kinds|frozen and trainable"
                r"|trainable and frozen|some trainable|part\w* trainable|mix\w* of)"
                r"|only (?:the )?(?:\w+ )?(?:bias\w*|norms?|adapters?|heads?|lora)[^\n]{0,15}train"
            ),
            r"refus|cannot be wrapped|not (?:be )?wrapped|wrapp\w+ (?:fails?|stops?|is)",
        ),
    ),
    confirm="construction passes; frozen and trainable parameters are in units of their own",
)
