"""Save longer than the collective timeout."""

from engines.diagnosis.cause import NCCL_TIMEOUT, RANK0_ONLY, SAVE, CauseRule, Sign

RULE = CauseRule(
    cause="slow-save-exceeds-timeout",
    card="slow-save-exceeds-timeout",
    signs=(
        Sign(
            4.0,
            SAVE,
            NCCL_TIMEOUT + r"|time-?out|timed out|10 minutes|ten minutes|30 minutes",
            (
                r"slow|still (?:writ|sav|upload|busy)|long|minutes|large|small models? save fine|lustre|nfs"
                r"|\bs3\b|bucket|gb|tb"
            ),
        ),
        Sign(
            3.0,
            (
                r"(?:sav\w+|checkpoint\w*)~(?:frequently |often )?(?:hits?|runs? into|causes?|gets?"
                r"|ends? in)~time-?outs?|(?:gather|transfer|writ|upload)\w*~causes?~time-?outs?"
            ),
        ),
        Sign(
            2.0,
            r"sav\w+~(?:takes|took|needs|for)~minutes|write\w*~(?:takes|took|slow|minutes)",
        ),
        Sign(
            -3.0,
            RANK0_ONLY,
            r"\be?val\w*|inference|forward|predict",
        ),
        Sign(
            -3.0,
            r"only on (?:the )?main|is_main_process|if this is the main|rank == 0|2-d|new_group|plan",
        ),
        Sign(
            -3.0,
            r"\A(?=.)(?!.*(?:" + SAVE + r"|upload|writ))",
        ),
    ),
    cost="a longer time-out hides a real hang for as long",
    confirm="the save's duration is printed and is below the time-out",
)
