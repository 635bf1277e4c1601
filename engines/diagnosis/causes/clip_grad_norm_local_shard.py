"""FSDP1 clipped with the generic function (local norm)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="clip-grad-norm-local-shard",
    card="nn-clip-on-fsdp1",
    signs=(
        Sign(
            5.0,
            r"(?:torch\.)?nn\.utils\.clip_grad(?:_norm_?)?\b",
            r"fsdp",
        ),
        Sign(
            3.0,
            r"clip(?:ping)?(?:_grad_norm_?)?~(?:local|own shard|each rank|per.rank|different|wrong|generic)",
            r"fsdp|shard",
        ),
        Sign(
            1.0,
            r"clip_grad_norm|gradient clipping|clips",
        ),
        Sign(
            -3.0,
            r"no backend type|nan|object has no attribute",
        ),
        Sign(
            -6.0,
            r"fsdp ?2|fully_shard|dtensor|normpartial",
        ),
    ),
    confirm="the norm is the same number on all ranks and equals a single-process run's",
)
