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
        Sign(
            5.0,
            r"no inf checks were recorded|found_inf\w*\W{0,6}(?:empty|0\b)",
            r"rank ?[1-9]|other ranks?|some ranks?|one rank|rank 0 (?:train|work|pass|is fine)",
        ),
        Sign(
            4.0,
            (
                r"(?:lies?|sits?|falls?|lands?|ends? up|is)\b[^\n]{0,30}(?:complete\w*|entire\w*|whol\w*|only"
                r"|all)[^\n]{0,20}(?:in|on) (?:rank|one rank|the (?:first|last) (?:rank|shard))|(?:nothing|no part"
                r"|none) of (?:it|them|the \w+)[^\n]{0,20}(?:rank|shard)"
            ),
            r"shard|fsdp|rank",
        ),
    ),
    confirm="p.to_local().numel() > 0 on all ranks, or the code handles 0",
)
