"""Torch.compile with FSDP1 flat parameters."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="compile-needs-use-orig-params",
    card="compile-use-orig-params",
    signs=(
        Sign(
            6.0,
            r"dynamo only supports fsdp with use_orig_params",
        ),
        Sign(
            3.0,
            r"torch\.?_?compile|dynamo|inductor",
            r"use_orig_params(?: ?[=:] ?false)?|flat_?param|without use_orig",
        ),
    ),
    confirm="compiles; the loss of the first steps equals the uncompiled one's",
)
