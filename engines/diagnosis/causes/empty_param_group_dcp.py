"""Empty optimizer group loses hyper-parameters in DCP."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="empty-param-group-dcp",
    card="empty-param-group-dcp",
    signs=(
        Sign(
            5.0,
            r"keyerror: .?.?(?:param_groups\.\S+\.)?(?:betas|lr|eps|weight_decay|momentum|foreach|params)\b",
        ),
        Sign(
            3.0,
            (
                r".params.: ?\[\]|groups? has no param|empty (?:param(?:eter)? )?group|group~(?:no|without"
                r"|zero) (?:trainable )?param"
            ),
            r"resume|dcp|load|checkpoint|betas",
        ),
        Sign(
            2.0,
            r"frozen|freeze",
            r"(?:optimizer|param(?:eter)?) groups?",
            r"resume|dcp|load",
        ),
        Sign(
            -4.0,
            r"initial_lr",
        ),
    ),
    confirm="all groups have lr and weight_decay after the load",
)
