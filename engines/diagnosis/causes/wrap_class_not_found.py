"""The configured layer class name does not occur in the real model."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="wrap-class-not-found",
    card="wrap-class-not-found",
    signs=(
        Sign(
            5.0,
            (
                r"could not find the transformer layer class|transformer_cls_to_wrap~not found"
                r"|no module~class to wrap"
            ),
        ),
        Sign(
            4.0,
            r"layer_cls_to_wrap|transformer_layer_cls|layer class",
            r"not (?:found|exist|occur)|no such|wrong|could not find",
        ),
        Sign(
            -4.0,
            (r"accelerate test\b|test_script|default_config|never asked for|(?:do not|don't|not) us(?:e" r"|ing) fsdp"),
        ),
        Sign(
            -6.0,
            (
                r"fsdp~(?:commented out|: false|to false|disabled|removed)|ran .?accelerate config|other project"
                r"|another project"
            ),
        ),
        Sign(
            -3.0,
            r"auto_find_batch_size|already have fsdp",
        ),
        Sign(
            -6.0,
            r"fsdp(?:_config)?\b[ :=]{1,3}\W{0,2}(?:empty|none|null|off|false|no\b|unset|not set|\[\])",
        ),
    ),
    confirm="print(model) shows the class as a unit",
)
