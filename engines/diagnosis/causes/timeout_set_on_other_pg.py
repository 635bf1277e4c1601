"""The raised timeout was given to another process group than the one that timed out."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="timeout-set-on-other-pg",
    card="timeout-set-on-other-pg",
    signs=(
        Sign(
            5.0,
            (
                r"time-?out~(?:raised|set to|increased|hours|timedelta|custom|longer)|(?:rais|increas"
                r"|chang)\w*~time-?out|\bset (?:the )?(?:dist_)?time-?out|timeout ?="
                r"|do(?:es)? not respect~time-?out"
            ),
            (
                r"still|\bbut\b|nevertheless|anyway|ignored|no effect|not respect|all the same"
                r"|instead of (?:the |my |our )?(?:\d|configured|given)"
            ),
            (
                r"600000|ten minutes|10 minutes|1800000|30 minutes|sub-?mesh|new_group|mesh|other group"
                r"|process groups?|pg guid|600 s|watchdog"
            ),
        ),
        Sign(
            3.0,
            r"new_group|mesh_|pg guid (?!\d{1,3}\(default_pg)|device_mesh|init_device_mesh|hybrid",
            r"timeout|time-?out",
        ),
        Sign(
            -4.0,
            r"pg guid \d{1,3}\(default_pg",
            r"timeout\(ms\)=(?:600000|1800000)\b",
        ),
        Sign(
            -3.0,
            r"last enqueued|tokenis|flight recorder summary|set_debug_level",
        ),
        Sign(
            -4.0,
            (
                r"time-?out\w* (?:raised|higher|longer)~(?:takes|lasts|waits|goes on|until|hangs)~(?:minutes|hours"
                r"|longer)"
            ),
        ),
    ),
    quantity="other_timeout",
    confirm="TORCH_CPP_LOG_LEVEL=INFO prints the time-out of each group",
)
