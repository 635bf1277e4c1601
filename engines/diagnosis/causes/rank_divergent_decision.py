"""Each rank decides from its local value to stop, skip or branch instead of agreeing with an all_reduce."""

from engines.diagnosis.cause import HANG, OOM, CauseRule, Sign

RULE = CauseRule(
    cause="rank-divergent-decision",
    card="rank-local-control-flow",
    signs=(
        Sign(
            4.0,
            (
                r"early.?stop\w*|isnan|nan|(?:skip|break|continue|stop|abort)\w*~(?:batch|loop|step|training"
                r"|if)|time (?:limit|budget)|wall.?clock|(?:own|local|each rank.?s"
                r"|its) (?:validation )?(?:loss|metric|value|clock|flag)"
            ),
            (
                r"own|local|each (?:rank|process)|some (?:rank|gpu)|one (?:rank|gpu|process)|now and then"
                r"|sometimes|rank 0|not all ranks"
            ),
            HANG + r"|others|whole job",
        ),
        Sign(
            3.0,
            r"continue|skip",
            r"nan|inf|overflow|bad (?:batch|sample)|exception|corrupt",
            HANG,
        ),
        Sign(
            2.5,
            r"(?:one|single|gpu|rank) ?\d* ?(?:gpu|rank|card)?~(?:is |at |sits? )~(?:idle|0 ?%)",
            r"(?:others?|rest|seven|all)~(?:100 ?%|busy|full util|spin)",
            HANG,
        ),
        Sign(
            -3.0,
            OOM + r"|skip\w*~(?:tower|encoder|branch|adapter|modalit)|from scratch|expert|meta|a_log"
            r"|only rank ?0 (?:eval|run|save|gen)",
        ),
        Sign(
            4.0,
            (
                r"some (?:ranks?|processes|gpus|workers)~(?:exit|leave|stop|break|raise|skip)\w*~others?"
                r"|not (?:all|every) ranks?~(?:exit|leave|stop|break|raise)|raised on (?:all|some|one)"
            ),
            HANG + r"|never ends|does not end|wait",
        ),
        Sign(
            4.5,
            (
                r"(?:should_stop|stop\w*|flag|event|button|signal|sentinel|file|request|leave\w*"
                r"|quit\w*)~(?:rank ?0|main|one rank|(?:its|their) own|local)|(?:rank ?0|main process"
                r"|one rank)[^\n]{0,60}(?:should_stop|stop|flag|event|button|signal|sentinel)"
            ),
            (
                r"(?:rank ?0|one rank|some)[^\n.]{0,60}(?:goes? into|leaves?|left|exits?|ends?|breaks?|stops?"
                r"|finish\w*)|end.of.training"
            ),
            r"(?:rank ?1|others?|rest|remaining)[^\n]{0,60}(?:next|another|continue|starts?|goes? on)",
        ),
        Sign(
            4.0,
            r"(?:own|local|its) (?:validation )?(?:loss|metric|value|score|clock)",
            r"leaves?|stops?|breaks?|ends?|quits?|skips?|returns?",
            r"stands? still|\bhang|\bwait|never|stuck|for some",
        ),
        Sign(
            3.0,
            r"isfinite|isnan|isinf|is not finite|nonfinite",
            r"continue|break|skip|return",
            r"stands? still|stuck|\bhang|all (?:gpus|ranks|cards) but one",
        ),
        Sign(
            -3.0,
            (
                r"stopiteration|data ?set (?:is |was )?exhausted|\bpack(?:s|ed|ing)\b|runs? out of (?:data|batches"
                r"|samples)"
            ),
        ),
        Sign(
            5.0,
            (
                r"(?:some|one|not all|not every)\b[^\n]{0,20}(?:ranks?|process(?:es)?|gpus?)[^\n]{0,30}(?:think"
                r"|thinks|decide|believe|see|say|take|consider|judge)\w*[^\n]{0,60}(?:some|others?|rest|not|don.t)"
            ),
        ),
    ),
    cost="one all-reduce of a flag for each decision",
    confirm="the flag is printed equal on all ranks",
)
