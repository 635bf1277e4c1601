"""One rank is stuck in loading data (a slow store, a dead worker, an endless filter) while the others wait for it."""

from engines.diagnosis.cause import HANG, NCCL_TIMEOUT, CauseRule, Sign

RULE = CauseRule(
    cause="one-rank-waits-for-data",
    card="one-rank-waits-for-data",
    signs=(
        Sign(
            5.0,
            r"_try_get_data|_next_data \(|_get_data \(|dataloader.{0,40}__next__|load_batch \(",
            HANG + r"|all_?reduce|all_?gather|waits?",
        ),
        Sign(
            4.0,
            r"(?:one|a single) (?:rank|gpu|process)|rank \d+",
            (
                r"(?:waits?|waiting|stuck|hangs?|slow)~(?:for (?:its )?(?:next )?(?:data|batch)|in (?:the )?(?:data"
                r"|loader)|reading|storage|s3\b|nfs)|(?:data ?loader|loader)~(?:slow|stuck|hangs?|never)"
            ),
            HANG + r"|" + NCCL_TIMEOUT,
        ),
        Sign(
            -3.0,
            r"different number|one batch (?:more|less|fewer)|runs? out of|tokeni[sz]|bus error|end of (?:the )?epoch",
        ),
    ),
    confirm="the stalled rank raises with DataLoader(timeout=120) and names its file",
)
