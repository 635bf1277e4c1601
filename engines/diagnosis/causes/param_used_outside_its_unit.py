"""Weight read without calling its module."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="param-used-outside-its-unit",
    card="param-used-outside-its-unit",
    signs=(
        Sign(
            5.0,
            r"(?:lm_head|head|embed\w*|self\.\w+|wte|proj)\.weight(?:\.t\(\)|\))",
            r"f\.linear|matmul|fused|@|size mismatch|dtensor|2-d",
        ),
        Sign(
            4.0,
            (
                r"fused_linear_cross_entropy|liger|f\.linear\(\w+, ?(?:self|model)\.\w+|weight (?:is )?(?:read"
                r"|used|accessed)~(?:directly|outside|without calling|in the (?:parent|loss))|(?:reads?|uses?"
                r"|access\w*)~weight~(?:directly|of another|outside|without)"
            ),
            r"size mismatch|dtensor|2-d|1-d|flat|vec|shard|fsdp|empty",
        ),
        Sign(
            4.0,
            r"functional\.\w+\([^\n]{0,60}\.weight\b|f\.\w+\([^\n]{0,60}\.weight\b",
            r"mixed torch\.tensor and dtensor",
        ),
        Sign(
            2.0,
            r"size mismatch, got input~vec \(",
        ),
        Sign(
            4.0,
            r"reads?~\.weight|\.weight~(?:another|other)",
            r"(?:another|other|separate) (?:fsdp )?unit|size mismatch",
        ),
        Sign(
            -3.0,
            OOM + r"|vocabulary of",
        ),
    ),
    confirm="the weight has two dimensions at that line",
)
