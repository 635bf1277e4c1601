"""Rank-0 broadcast overwrites per-rank experts."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="rank0-broadcast-overwrites-ep",
    card="rank0-broadcast-overwrites-experts",
    signs=(
        Sign(
            5.0,
            r"expert",
            r"broadcast|rank ?0|cpu_ram_efficient_loading|sync_module_states",
            (
                r"identical|same|overwrit|replac|equal|different ones|distinct|duplicat|cop(?:y|ies)|wrong"
                r"|not the ones|instead|should (?:have|be)"
            ),
        ),
        Sign(
            -3.0,
            HANG + r"|random stream|\brng\b|generator",
        ),
    ),
    confirm="sums of the experts' weights differ between the ranks as before",
)
