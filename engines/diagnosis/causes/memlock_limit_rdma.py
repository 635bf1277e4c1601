"""Locked-memory limit too low for RDMA."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="memlock-limit-rdma",
    card="memlock-limit-rdma",
    signs=(
        Sign(
            6.0,
            (
                r"ibv_reg_mr\w*~cannot allocate memory|ibv_create_\w+~cannot allocate memory|memlock|ulimit -l"
                r"|max locked memory|(?<!page.)locked.?memory"
            ),
        ),
        Sign(
            -6.0,
            r"ulimit -l (?:is|says|shows|gives) unlimited|memlock (?:is|says) unlimited",
        ),
        Sign(
            -4.0,
            r"\A(?=.)(?!.*(?:nccl|ibv|rdma|infiniband|\bib\b|roce|mlx))",
        ),
    ),
    confirm="ulimit -l inside the job says unlimited",
)
