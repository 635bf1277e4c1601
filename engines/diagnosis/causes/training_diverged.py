"""The loss grows on all ranks until it is no number."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="training-diverged",
    card="training-diverged",
    signs=(
        Sign(
            4.0,
            r"loss~(?:explod\w+|diverg\w+|blows? up|grows?|rises?|doubles)",
            r"\bnan\b|\binf\b",
            r"learning.?rate|\blr\b|warm-?up|clip",
        ),
        Sign(
            2.0,
            r"(?:train\w*|loss) diverg\w+",
        ),
        Sign(
            -3.0,
            r"\bhang|hung|stuck|one rank|to_empty|uninitiali[sz]ed|meta device",
        ),
    ),
    cost="slower first steps",
    confirm="the gradient norm stays of one order over the first hundred steps",
)
