"""The script refuses its arguments and exits with 2."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="wrong-arguments",
    card="wrong-arguments",
    signs=(
        Sign(
            6.0,
            (
                r"error: (?:unrecognized arguments|the following arguments are required|argument \S+:"
                r"|ambiguous option)"
            ),
        ),
        Sign(
            4.0,
            r"exit(?: ?code|s with|ed with)? ?:? ?2\b",
            r"usage:|argparse|argument|option",
        ),
        Sign(
            -3.0,
            r"--local[-_]rank",
        ),
    ),
    outside="never_fsdp",
    confirm="the script prints its help with --help on one process",
)
