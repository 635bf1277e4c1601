"""A parameter (or trainable part) is too small for the number of ranks, some ranks hold nothing of it."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="empty-local-shard",
    card="empty-local-shard",
    signs=(
        Sign(
            4.0,
            (
                r"(?:more gpus than|fewer (?:rows|elements) than|smaller than (?:the )?(?:number of|world)"
                r"|first dimension~(?:more|less|smaller|fewer)|too small~(?:ranks|shard)"
                r"|empty (?:local )?shard|no (?:local )?(?:elements|rows)|zero (?:elements|rows)|size \(?0\)?"
                r"|numel\(?\)? ?(?:== ?|is |of )?0)"
            ),
            r"rank|gpu|shard|world size",
        ),
        Sign(
            3.0,
            r"\[1,",
            r"to_empty|fully_shard|shard|gpus",
            r"more than|only \d gpus|cannot copy out of meta",
        ),
        Sign(
            3.0,
            r"\bmax\(\)~(?:empty|no reduction dim|numel)|cannot perform reduction~numel|shape \(?\[?0,",
        ),
        Sign(
            2.0,
            r"some ranks~(?:nothing|no gradient|none|hold no)|bias of size 1|scalar (?:param|bias)",
        ),
        Sign(
            -2.0,
            r"module(?:list|dict)|storage of size 0|forward is never",
        ),
    ),
    confirm="p.to_local().numel() > 0 on all ranks, or the code handles 0",
)
