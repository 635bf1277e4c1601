"""The tool's self-test runs a toy model to which the user's configuration does not apply."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="smoke-test-toy-model",
    card="smoke-test-toy-model",
    signs=(
        Sign(
            6.0,
            r"accelerate test\b|test_utils/scripts/test_script|test_script\.py|regressionmodel",
        ),
        Sign(
            -4.0,
            r"accelerate test~(?:passe[sd]|works?|worked|is fine|succeeds?|ok)\b|(?:passe[sd]|worked) accelerate test",
        ),
    ),
    outside="never_fsdp",
    confirm="your own script starts with the same configuration",
)
