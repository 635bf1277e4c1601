"""Method other than forward runs on sharded parameters."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="non-forward-method-bypasses-hooks",
    card="register-forward-method",
    signs=(
        Sign(
            4.0,
            (
                r"\.generate\(|forward_features|\.encode\(|\.(?:get_|compute_|predict|sample|embed(?!_(?:tokens|in|out|positions)|ding)|decode"
                r"|score|loss|extract)\w*\(|register_fsdp_forward_method|custom method|plain method"
                r"|other (?:method|entry point)|method other than|not (?:through |via )?forward"
                r"|not called through"
            ),
            r"2-d|1-d|dtensor|three dimensions|weight|size 0|shard|flat",
        ),
        Sign(
            3.0,
            r"(?:generate|rollout|encode|forward_features)",
            r"mixed torch\.tensor and dtensor|must be 2-d|must be a matrix|three dimensions",
        ),
        Sign(
            2.0,
            r"plain forward|calling \w+\(\w+\) works|__call__",
            r"works|fine",
        ),
        Sign(
            -3.0,
            r"unwrap|\.module\(|checkpoint\.py|recomput|adagrad|norm\(\)",
        ),
        Sign(
            4.0,
            r"\b(?:encode|get|embed|score|predict|extract|compute)_(?!tokens|loss|metrics|positions|in\b|out\b)\w+\(\)?",
            r"outside (?:of )?forward|instead of (?:the )?(?:forward|model\()|setstorage|mixed torch\.tensor|2-d",
        ),
        Sign(
            4.5,
            r"generat|sampl(?:es?|ing)\b|rollout|preview|answers",
            r"must be 2-d|1-d|one.?dimension",
            (
                r"loss\b[^\n]{0,40}(?:normal|fine|\d\.\d)|train\w*~(?:fine|normal|works|continu\w*|goes on"
                r"|not affected)"
            ),
        ),
    ),
    confirm="the method passes after register_fsdp_forward_method",
)
