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
            5.0,
            (
                r"gradients?~(?:stay|remain|are|kept|keep|hold)\w*~(?:unsharded|full.?size)|(?:hold|keep)s?"
                r"~unsharded grad|(?:skip|defer|disabl|turn)\w*~(?:gradient )?(?:sync|reduce)"
            ),
            OOM + r"|memory",
        ),
        Sign(
            4.5,
            r"accumul\w*~(?:ooms?\b|out of memory|memory|dies)",
            r"=? ?1\b~fits|fits~without|without accumulation|one micro|micro.?batch\w* (?:is|of) 1|per_gpu is 1",
        ),
        Sign(
            -3.0,
            r"size of tensor",
        ),
        Sign(
            5.0,
            r"accumulat\w*(?: steps?)?\W{0,3}1\b|(?:one|1|single) micro-?(?:batch|step)",
            (
                r"accumulat\w*(?: steps?)?\W{0,3}(?:[2-9]|\d\d+)\b|second or third|(?:two|four|eight|several"
                r"|more) micro-?(?:batch|step)"
            ),
            OOM + r"|\d ?gi?b\b",
        ),
        Sign(
            4.0,
            r"(?:first|one) (?:backward|micro-?\w+|sequence|sample)[^\n]{0,60}(?:pass|fit|work|fine|no oom)",
            (
                r"(?:second|third|next|following|later|further) (?:backward|micro-?\w+|ones?|sequences?)|(?:two"
                r"|four|eight|several) (?:sequences|samples|micro)"
            ),
            OOM + r"|out of (?:device|gpu) memory",
        ),
    ),
    cost="a reduction in each micro-batch",
    confirm="max_memory_allocated() no longer depends on the accumulation steps",
)
