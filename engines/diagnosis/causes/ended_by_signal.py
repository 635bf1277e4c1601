"""The launcher was told to end: a scheduler, a person, the system."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="ended-by-signal",
    card="torchrun-signals",
    signs=(
        Sign(
            4.0,
            r"signalexception: process \d+ got signal: (?:15|2|1|10|12)\b",
        ),
        Sign(
            6.0,
            (
                r"\*\*\* (?:job|step) [\w.+]+ on \S+ cancelled at \S+ due to"
                r" (?:time ?limit|preemption|job requeue|node failure)"
            ),
        ),
        Sign(
            4.0,
            (
                r"(?:killed|cancell?ed|ended|stopped|terminated|cut off)"
                r" (?:by|over|at|due to|because of) (?:the |its |our )?(?:\w+ )?(?:\w+.s )?"
                r"(?:time limit|wall.?(?:clock|time)(?: limit)?|preemption|time ?out of the (?:job|queue|partition))"
            ),
        ),
        Sign(
            2.0,
            (
                r"was stopped by sig(?:term|int|hup)|scheduler|preempt\w*|scancel|time limit|wall.?clock"
                r"|evict\w*|took the (?:node|machine)"
            ),
            r"signal|sigterm|sigint|stopped by",
        ),
        Sign(
            -3.0,
            r"exitcode ?: ?-9\b|signal 9 \(sigkill\)",
        ),
        Sign(
            -6.0,
            r"hung: |gave no sign of life|wrote nothing into its logs|it met its limit",
        ),
        Sign(
            -3.0,
            r"\bhangs?\b|stuck|deadlock|watchdog|timed out|time-?out|ctrl-?c",
        ),
    ),
    cost="the steps since the last checkpoint",
    confirm="the scheduler's log, or the shell's history, names who sent it; the run resumes",
)
