"""C10d rendezvous assigns node ranks itself; --node_rank/--master_addr do not fix where rank 0 runs."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="node-rank-ignored-by-c10d",
    card="node-rank-ignored-by-c10d",
    signs=(
        Sign(
            4.0,
            r"node_rank|node-rank|master_addr",
            r"c10d",
            r"ignored|expect\w*|other (?:node|host)|rank 0|wrong node|random|not on",
        ),
        Sign(
            4.0,
            (
                r"rank 0 (?:is |runs? |lands? |ends up |sits |was )?(?:not )?on~(?:another|other|different"
                r"|wrong|second|node ?b|worker|random|head)"
            ),
            r"node|machine|host",
            r"torchrun|rdzv|c10d|rendezvous|elastic",
        ),
        Sign(
            -3.0,
            r"slurm_procid|every process|duplicate",
        ),
    ),
    confirm="each rank prints its host and RANK; the mapping is the intended one or does not matter",
)
