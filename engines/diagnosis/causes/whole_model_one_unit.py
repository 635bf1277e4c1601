"""No sub-module was wrapped, so the whole model is one FSDP unit and is gathered at once."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="whole-model-one-unit",
    card="shard-root-only",
    signs=(
        Sign(
            5.0,
            (
                r"(?:only|once)~(?:on |the )?root|without (?:an? )?(?:auto[ _]?wrap|wrap(?:ping)?)[ _]?policy"
                r"|no (?:auto.?)?wrap(?:ping)?[ _]?policy|auto_wrap_policy ?= ?none|no_wrap|(?:whole"
                r"|entire) model~(?:one|single) (?:unit|fsdp)|one (?:big )?(?:fsdp )?unit"
                r"|no sub-?modules? (?:was |is |were )?(?:wrapped|sharded)"
            ),
            OOM + r"|memory|gather",
        ),
        Sign(
            3.0,
            (
                r"memory~(?:same|not lower|no lower|as (?:much|high))~ddp|ddp~(?:same|as much) memory"
                r"|memory (?:consumption|usage) is the same"
            ),
            r"fsdp",
        ),
        Sign(
            2.0,
            r"first forward",
            OOM,
            r"gathers? (?:everything|the whole)|all.?gather",
        ),
        Sign(
            3.0,
            r"\bfsdp\(\w+(?:, ?device_id ?= ?[^,)]*\)?)?\)|fullyshardeddataparallel\(\w+\)",
            OOM + r"|memory",
        ),
        Sign(
            3.0,
            r"_alloc_padded_unsharded|_unshard|all_gather_into|alloc_storage",
            r"tried to allocate \d{2,}\.\d+ gib",
        ),
        Sign(
            -3.0,
            r"nccl warn|set_device|duplicate",
        ),
        Sign(
            -3.0,
            r"\blora\b|adapter|requires_grad",
            r"gradient",
        ),
        Sign(
            5.0,
            (
                r"fullyshardeddataparallel\(?[^\n]{0,40}(?:first line|top|root|outermost|only once|one time"
                r"|nowhere else)|no (?:inner|nested|other|further) (?:fsdp|fully|wrap)"
                r"|only the (?:root|top|outermost)|no (?:inner|nested|sub).?modules? (?:is|are"
                r"|was) (?:wrapped|sharded|an? )"
            ),
            OOM + r"|memory|gi?b\b",
        ),
        Sign(
            2.5,
            r"size_based_wrap|size.based|min_num_params|min(?:imum)? number of param",
            OOM,
        ),
        Sign(
            4.0,
            (
                r"(?:not|no|nothing|hardly)\b[^\n]{0,20}(?:sav|lower|less|reduc)\w*[^\n]{0,40}\bddp|(?:class "
                r"|wrap\w* )(?:list|policy) is (?:empty|none|missing)"
            ),
            r"fsdp|shard",
            r"memory|gi?b",
        ),
    ),
    cost="an all-gather for each unit instead of one",
    quantity="gathered_whole",
    confirm="the largest all-gather is one block; the peak falls accordingly",
)
