"""ModuleList/Dict became an FSDP unit."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="container-wrapped-no-forward",
    card="fully-shard-container",
    signs=(
        Sign(
            6.0,
            r"does not support containers that do not implement forward",
        ),
        Sign(
            4.0,
            r"modulelist|moduledict|container|parameterlist",
            (
                r"fsdp unit|fsdp instance|wrapped|fully_shard|auto.?wrap|implement forward|forward is (?:never"
                r"|not) called"
            ),
        ),
        Sign(
            3.0,
            r"modulelist|moduledict",
            r"notimplementederror|missing the required .forward|no attribute|weight~size 0|2-d|not iterable",
        ),
        Sign(
            6.0,
            r"fullyshardeddataparallel\(\s*(?:\(_fsdp_wrapped_module\):)?\s*module(?:list|dict)\(",
        ),
        Sign(
            4.5,
            r"\b(?:module ?list|module ?dict|(?:python )?list|container|dict(?:ionary)?)\b",
            r"\bunit\b|wrapp?ed|wraps|shard",
            (
                r"nobody calls|never (?:itself )?called|not called|no forward|has no forward|only (?:index"
                r"|iterat)\w*|index(?:ed|es|ing)? into|loops? over"
            ),
        ),
    ),
    confirm="print(model): the blocks are units, the list is none",
)
