"""One rank's data or computation gives the first NaN."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="nan-from-one-rank",
    card="nan-on-one-rank",
    signs=(
        Sign(
            4.0,
            r"(?:one|single|only|rank \d+)~(?:nan|non-?finite|inf)\b",
            r"loss|gradient|norm",
            r"(?:all|every|other)~(?:rank|gpu|nan)|step later|next step",
        ),
        Sign(
            -3.0,
            r"\bhang|hung|stuck|time-?out|to_empty|uninitiali[sz]ed|meta device",
        ),
    ),
    confirm="torch.isfinite(inputs).all() per rank finds the batch",
)
