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
        Sign(
            5.0,
            (
                r"type\((?:self\.)?\w*model\w*\)\W{0,4}(?:=|is|:|->|prints?|shows?|gives?|says?)?\W{0,4}(?!fully"
                r"|fsdp|torch\.distributed)[a-z]\w+"
            ),
            r"2-d|1-d|flat|size 0|dtensor|matrix",
        ),
        Sign(
            4.0,
            (
                r"\b(?:still|but|instead)\b~(?:calls?|uses?|runs?|called|forward)~(?:self\.\w+\(|net\(|base|raw"
                r"|plain|bare|inner|original|unwrapped)|not the wrapp(?:ed|er)|\.module~directly"
            ),
            r"2-d|1-d|flat|size 0|dtensor|matrix|shape|dimension",
        ),
    ),
    confirm="the same call on the wrapped model passes",
)
