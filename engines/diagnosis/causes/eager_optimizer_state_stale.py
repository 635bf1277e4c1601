"""Optimizer state tensors were created before sharding and still have the unsharded shape/device."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="eager-optimizer-state-stale",
    card="eager-optimizer-state",
    signs=(
        Sign(
            5.0,
            (
                r"adagrad|(?:optimi[sz]er )?state~(?:in|by|at) (?:its |the )?constructor|eager(?:ly)?~state"
                r"|state (?:tensors? )?(?:was |were |is |are )?(?:created|allocated"
                r"|initiali[sz]ed)~before~(?:shard|fully_shard|wrap)"
            ),
        ),
        Sign(
            3.0,
            r"param_groups",
            r"swap|replac|re-?point|exchang|update",
            r"optimizer|optimiser",
            r"state|mixed torch\.tensor|shape|size of tensor",
        ),
        Sign(
            5.0,
            r"optimi[sz]er",
            (
                r"(?:pre-?)?(?:allocat|creat|initiali[sz]|ma[kd]e|buil[dt]|set)\w*~(?:exp_avg|momentum|state|buffer|moment)\w*"
                r"~(?:__init__|constructor)|(?:__init__|constructor)~(?:exp_avg|momentum|state|buffer|moment)"
            ),
        ),
        Sign(
            -2.0,
            r"adapter|warm-up",
        ),
        Sign(
            5.0,
            (
                r"(?:allocat|creat|initiali[sz]|ma[kd]e|buil[dt])\w*[^\n]{0,30}(?:exp_avg|momentum|state"
                r"|moment)\w*[^\n]{0,30}(?:construct|__init__|before)"
            ),
            r"optimi[sz]er|muon|lion|adam|sgd|variant",
            r"shard|dtensor|local",
        ),
    ),
    confirm="every state tensor has its parameter's type and shape: isinstance(s, DTensor)",
)
