"""Optimizer holds wrong params.

The optimizer references parameters that FSDP replaced (built before sharding, or while parameters were
unsharded or on meta).
"""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="optimizer-holds-wrong-params",
    card="optimizer-before-shard",
    signs=(
        Sign(
            6.0,
            (
                r"optimizer does not seem to reference any fsdp parameters"
                r"|optimizer got an empty parameter list|bad_fsdp_wrapping"
            ),
        ),
        Sign(
            5.0,
            (
                r"(?:optimi[sz]er)~(?:created|built|constructed|made|before|old)~(?:before|prior|warm-?up"
                r"|shard|wrap|prepare|fsdp|fully_shard|meta|replaced)"
            ),
            r"loss|learn|change|update|param|flat|nothing|step|memory",
        ),
        Sign(
            3.0,
            (
                r"(?:parameters?|weights?|shards?|adapters?)~(?:never (?:change|move|update)|do not (?:change"
                r"|move)|exactly their initial|unchanged|same as initial|identical to (?:their )?initial)"
            ),
        ),
        Sign(
            2.0,
            (
                r"loss~(?:is |stays? |does not |doesn't |not )~(?:flat|constant|move|change|decrease|go down|drop"
                r"|same)"
                r"|does not learn|learns more slowly|(?:model|network) (?:is )?not learning"
            ),
        ),
        Sign(
            -3.0,
            r"tied|vocabulary|adagrad|resum|unfro[sz]en|last rank",
        ),
        Sign(
            -4.0,
            (
                r"param_groups[^\n]{0,40}(?:exchang|replac|swap|updat|re-?point)|(?:exchang|replac|swap"
                r"|re-?point)\w*[^\n]{0,60}param_groups"
            ),
        ),
    ),
    confirm="a parameter's value before and after one step differs",
)
