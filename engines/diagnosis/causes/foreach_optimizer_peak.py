"""Foreach optimizer needs a temporary copy."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="foreach-optimizer-peak",
    card="foreach-optimizer-peak",
    signs=(
        Sign(
            5.0,
            # FSDP2's own functions are called so, too: foreach_reduce, foreach_all_gather
            r"foreach(?!_(?:reduce|all_gather|all_reduce|copy))",
            OOM + r"|memory|peak|optimi[sz]er",
        ),
        Sign(
            3.0,
            r"optimi[sz]er\.step(?:\(\))?",
            OOM,
            (
                r"after (?:upgrad|updat|mov)|forward and backward (?:are|is|run) (?:unchanged|fine|ok)"
                r"|first step|peak|temporary"
            ),
        ),
        Sign(
            3.0,
            r"(?:1\.1[23]~2\.0|_multi_tensor_adam|_foreach_\w+|multi_tensor)",
            OOM + r"|memory|mib",
        ),
        Sign(
            -3.0,
            r"tensors of the same index|no_sync|amp_foreach|same device",
        ),
    ),
    cost="foreach=False is slower; fused is not",
    confirm="max_memory_allocated() of step() falls by one copy of the shard",
)
