"""DTensor built from uneven local shapes."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="dtensor-from-local-uneven",
    card="dtensor-from-local-uneven",
    signs=(
        Sign(
            5.0,
            r"from_local",
            r"uneven|different|not divisible|unequal|\bhang",
        ),
        Sign(
            3.0,
            r"full_tensor|dtensor",
            (
                r"(?:tokens|rows|lengths?|sizes?|shapes?)~(?:per rank|each rank|differ|uneven|varia)|uneven"
                r"|variable (?:sequence|length)"
            ),
            HANG + r"|wrong (?:size|shape)",
        ),
        Sign(
            2.0,
            r"padd\w+ to (?:one|the same|equal) length",
            HANG + r"|runs",
        ),
        Sign(
            -3.0,
            r"batch counts?|bucket",
        ),
    ),
    confirm="full_tensor().shape is the intended one on all ranks",
)
