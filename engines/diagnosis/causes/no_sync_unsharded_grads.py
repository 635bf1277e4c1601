"""No_sync keeps unsharded gradients."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="no-sync-unsharded-grads",
    card="no-sync-unsharded-grads",
    signs=(
        Sign(
            4.0,
            r"no_sync|set_requires_gradient_sync\(false|requires_gradient_sync",
            OOM + r"|memory",
            (
                r"jump|more|grow|whole model|entire model|unsharded|full|first backward|without|higher"
                r"|runs out|accumul"
            ),
        ),
        Sign(
            2.0,
            r"accumul",
            OOM + r"|memory",
            (
                r"(?:full|whole).?(?:size|model)? grad\w*~accumul|accumul\w*~full.?size grad"
                r"|gradients?~(?:size of|as large as)~(?:entire|whole|full) model"
            ),
        ),
        Sign(
            2.0,
            r"accumul",
            OOM,
            r"(?:with|only with|more than one) (?:accumulation|micro)|unsharded grad|full.?size grad",
        ),
        Sign(
            -3.0,
            r"size of tensor|slow",
        ),
    ),
)
