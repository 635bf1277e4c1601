"""FSDP module inside a compile wrapper is wrapped again."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="compile-wrapper-hides-fsdp",
    card="compile-wrapper-hides-fsdp",
    signs=(
        Sign(
            6.0,
            r"expected _orig_mod to not be fullyshardeddataparallel",
        ),
        Sign(
            6.0,
            r"(?:missing|unexpected) keys?|\bkeys?\b|state.?dict|load\w*|checkpoint",
            r"\b_orig_mod\.",
        ),
        Sign(
            4.0,
            r"optimizedmodule|_orig_mod",
            r"fsdp|fully_shard|isinstance|fullysharded",
        ),
        Sign(
            2.0,
            r"torch\.compile|dynamo|compiled",
            r"wrapped (?:again|twice)|already (?:wrapped|sharded)|isinstance|not recogni[sz]ed|is not an? fsdp",
        ),
    ),
    confirm="isinstance checks see the FSDP module; it is wrapped once in print(model)",
)
