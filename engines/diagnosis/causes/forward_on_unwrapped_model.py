"""Forward called on the unwrapped module."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="forward-on-unwrapped-model",
    card="forward-on-unwrapped-model",
    signs=(
        Sign(
            5.0,
            (
                r"(?:model|fsdp\w*|net|wrapped)\.module\(|\bunwrap_model\([^)]*\) ?\(|unwrapped (?:model"
                r"|module)|inner module|original (?:model|module|variable)|underlying model"
            ),
        ),
        Sign(
            3.0,
            r"mat2 must be a matrix, got 1-d tensor",
        ),
        Sign(
            1.0,
            r".weight. must be 2-d|mat2 must be a matrix",
        ),
        Sign(
            2.0,
            r"unwrap_model|\.module\b",
            r"2-d|1-d|flat|forward|generate",
        ),
        Sign(
            -3.0,
            r"\.generate\(|forward_features|state_dict|embedding. a plain",
        ),
    ),
    confirm="the same call on the wrapped model passes",
)
