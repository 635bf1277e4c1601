"""Generate stops at different lengths per rank."""

from engines.diagnosis.cause import HANG, NCCL_TIMEOUT, CauseRule, Sign

RULE = CauseRule(
    cause="generate-unsynced-lengths",
    card="generate-unsynced-lengths",
    signs=(
        Sign(
            5.0,
            r"synced_gpus",
        ),
        Sign(
            4.0,
            r"generat\w+|rollout|decod\w+|sampling",
            HANG,
            (
                r"\beos\b|different lengths?|stop\w* (?:early|at different)|finish(?:es|ed)?~(?:early|earlier"
                r"|sooner|first|before|already)|(?:sequences?|answers?|responses?|outputs?|texts?)~longer|lengths"
            ),
        ),
        Sign(
            4.0,
            r"generation/utils|_sample\b|predict_with_generate|\.?generate\(|generate\b~(?:token|forward)",
            NCCL_TIMEOUT + r"|" + HANG,
            r"fsdp|shard|rank|gpu|nccl",
        ),
        Sign(
            -3.0,
            (
                r"dtensor|must be 2-d|three dimensions|is_main_process|rank ?== ?0|only (?:on )?(?:the )?(?:main"
                r"|rank ?0)"
            ),
        ),
        Sign(
            4.0,
            r"end.(?:of.sequence )?token|stop token|\beos\b",
            r"wait|others?\b",
            r"gpus|ranks|processes",
        ),
    ),
    cost="ranks that are done go on with padding until the longest ends",
    confirm="a batch with prompts of very different length passes",
)
