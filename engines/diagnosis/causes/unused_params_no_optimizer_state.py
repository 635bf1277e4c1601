"""Parameters that never got a gradient have no optimizer state in the checkpoint; a strict load asks for it."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="unused-params-no-optimizer-state",
    card="unused-params-no-optimizer-state",
    signs=(
        Sign(
            5.0,
            (
                r"missing key in checkpoint state_dict~(?:optim\w*\.)?state\.(?!\d)\S*[a-z]\S*\.(?:step"
                r"|exp_avg|exp_avg_sq)"
            ),
        ),
        Sign(
            4.0,
            (
                r"never (?:got|received|had|get) (?:a |any )?gradient|unused param|not used in (?:training"
                r"|forward)|text-only|unused (?:tower|vision|module|expert)"
            ),
            r"optimi[sz]er|missing key|resum|load",
        ),
        Sign(
            -3.0,
            r"optimizer\.state\.\d|\bhang",
        ),
    ),
    cost="those parameters start with empty moments",
    confirm="the load passes and their state is zero",
)
