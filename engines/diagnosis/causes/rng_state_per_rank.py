"""Rank 0's RNG state restored everywhere."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="rng-state-per-rank",
    card="rng-state-per-rank",
    signs=(
        Sign(
            5.0,
            (
                r"\brng\b|generator states?|random streams?|random generators?"
                r"|router noise|random.?(?:number )?state|get_rng_state|dropout masks?"
                r"|random seeds?"
            ),
            r"resum|restor|load|checkpoint|same|identical|equal",
            r"rank|everywhere|gpu",
        ),
        Sign(
            -3.0,
            r"first logged step",
        ),
    ),
    confirm="torch.get_rng_state() differs between the ranks after the load",
)
