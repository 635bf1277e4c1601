"""Which sub-modules run depends on the data of each rank, so ranks issue different gathers/reduce-scatters."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="conditional-branch-per-rank",
    card="conditional-branch-per-rank",
    signs=(
        Sign(
            4.0,
            (
                r"(?:which|some|different) (?:sub-?modules?|layers?|branch(?:es)?|blocks?|towers?|heads?"
                r"|adapters?)~(?:run|executed|used|taken|called|skipped)~(?:depend|rank|data|input|batch"
                r"|sample)"
            ),
        ),
        Sign(
            4.0,
            r"detected mismatch between collectives on ranks",
        ),
        Sign(
            3.0,
            (
                r"(?:depend\w*|based) on~(?:input|data|batch|sample|content|modality)~(?:rank)?|(?:some"
                r"|other) ranks?~(?:no image|text.only|only text|without images?|skip)|(?:no image|text.only"
                r"|only text|without images?|modalit)~(?:rank|batch)"
            ),
            HANG + r"|mismatch|reduce.?scatter|all.?gather",
        ),
        Sign(
            3.0,
            (
                r"(?:vision|audio|image|encoder|branch|tower)~(?:skipp?ed|not called|never called|not run"
                r"|not executed|only (?:run|called|executed) (?:if|when))"
                r"|(?:skip\w*|bypass\w*|leave out|not (?:call|run)\w*)"
                r"~(?:vision|audio|image|encoder|branch|tower|adapter)"
            ),
            HANG,
        ),
        Sign(
            -3.0,
            r"expert|\bmoe\b|resume|use_dynamic_bsz|missing key",
        ),
        Sign(
            4.0,
            (
                r"ranks? \d[\d, and]*~(?:in|inside|at|->) (?:the )?(?:\w+ )?(?:\w+ )?(?:block|layer|vit|vision"
                r"|tower|encoder|decoder|branch|head|adapter)"
            ),
            (
                r"(?:others?|rest|ranks? \d[\d, and]*)~(?:in|inside|at|->) (?:the )?(?:\w+ )?(?:\w+ )?(?:vit|vision"
                r"|tower|encoder|decoder|branch|head|adapter|block|layer)"
            ),
            r"image|vision|vit\b|audio|video|modalit|text.only|tower|branch|skip|adapter|head",
        ),
    ),
    cost="a dummy forward for ranks without that input",
    confirm="a batch in which one rank lacks the input passes",
)
