"""Long rank-0 work while others wait."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="rank0-slow-work-before-collective",
    card="rank0-slow-work-before-collective",
    signs=(
        Sign(
            4.0,
            r"rank 0|main process|first process|one process|local rank 0|master",
            (
                r"tokeni[sz]\w+|download\w*|preprocess\w*|convert\w*|merg\w+|map\(|building (?:the )?(?:index"
                r"|dataset|cache)|upload\w*|compil\w+ (?:kernels|extension)"
            ),
            r"wait|barrier|" + HANG,
        ),
        Sign(
            4.0,
            r"setting up nccl communicator and retr\w+ ncclunique~(?:timeout|wait)",
        ),
        Sign(
            3.0,
            r"main_process_first|wait_for_everyone|main process first",
        ),
        Sign(
            -3.0,
            r"\bsav(?:e|ing)\b|still writing|ddp training|validation runs",
        ),
    ),
    cost="a longer time-out hides a real hang for as long",
    confirm="rank 0 prints how long the work takes; it is below the time-out",
)
