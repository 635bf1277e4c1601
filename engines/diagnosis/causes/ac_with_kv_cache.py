"""Activation checkpointing with use_cache on: recomputation sees a longer cache."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="ac-with-kv-cache",
    card="ac-with-kv-cache",
    signs=(
        Sign(
            3.0,
            (
                r"recomputed values for the following tensors have different metadata|checkpointerror"
                r"|different (?:metadata|number of tensors)"
            ),
            (
                r"saved metadata: \{'shape': torch\.size\((\[[^\]]*\])(?:(?!saved metadata).)*recomputed"
                r" metadata: \{'shape': torch\.size\((?!\1)"
            ),
        ),
        Sign(
            5.0,
            (
                r"use_cache(?: ?= ?true)?~(?:gradient|activation)[ _]?checkpointing|(?:gradient"
                r"|activation)[ _]?checkpointing~use_cache(?! ?= ?false)|past_key_values~recomput"
                r"|recomput~(?:kv|key.value|past)[ _-]?cache"
            ),
        ),
        Sign(
            2.0,
            r"recomput|checkpointerror",
            r"kv[ -]?cache|past_key|dynamiccache|twice as long|longer (?:cache|sequence)",
        ),
    ),
    quantity="not_recomputed_shard",
    confirm="print the model's use_cache: with False the recomputed shapes equal the saved ones and backward passes",
)
