"""Optimizer/scheduler not restored."""

from engines.diagnosis.cause import OOM, RESUME, CauseRule, Sign

RULE = CauseRule(
    cause="resume-optimizer-scheduler-not-restored",
    card="resume-optimizer-scheduler-not-restored",
    signs=(
        Sign(
            5.0,
            RESUME + r"|continue from|continu\w+ (?:a |the )?(?:run|training)",
            (
                r"loss~(?:higher|far above|jump|spike|above|restart|worse)|learning.?rate~(?:starts? again"
                r"|restart|reset|from (?:the )?(?:beginning|zero|scratch)|warm-?up)"
                r"|optimi[sz]er (?:state )?(?:is |was )?(?:not|empty|missing|lost)"
            ),
            r"no error|weights|schedul|optimi[sz]er|learning.?rate|loss",
        ),
        Sign(
            -3.0,
            r"missing key|keyerror|dropout|" + OOM + r"|experts|dp_rank",
        ),
    ),
    cost="larger checkpoints",
    confirm="lr and loss of the first steps go on where they were",
)
