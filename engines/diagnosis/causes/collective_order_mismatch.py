"""All ranks issue the same set of collectives but in another order (e.g. unordered iteration of names)."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="collective-order-mismatch",
    card="collective-order-mismatch",
    signs=(
        Sign(
            4.0,
            r"(?:different|another|other|wrong|not the same|unordered|random|arbitrary|inconsistent) order",
            r"collective|broadcast|all.?reduce|all.?gather|\bhang|buffer|deadlock",
        ),
        Sign(
            3.0,
            r"iterat\w+~(?:set|dict|names|unordered)|unordered|set\(|hash ?seed|pythonhashseed",
            HANG + r"|collective|broadcast",
        ),
        Sign(
            3.0,
            r"buffers?~(?:broadcast|order)|broadcast~buffers",
            HANG + r"|deadlock",
        ),
        Sign(
            2.0,
            r"start-?up|load(?:ing)?~(?:state dict|weights)",
            r"broadcast|distribut",
            HANG,
        ),
        Sign(
            2.0,
            r"optype=|sequence number|seq(?:num)?",
            r"allreduce~broadcast|broadcast~allreduce|mismatch",
        ),
        Sign(
            -3.0,
            r"process group|communicator|\befa\b|to_empty|data-?dependent",
        ),
    ),
    confirm="TORCH_DISTRIBUTED_DEBUG=DETAIL reports no mismatch; the flight recorders agree at each number",
)
