"""GPU memory grows with each save because state-dict tensors or their cached blocks are not released."""

from engines.diagnosis.cause import OOM, SAVE, CauseRule, Sign

RULE = CauseRule(
    cause="checkpoint-state-dict-gpu-memory",
    card="checkpoint-state-dict-gpu-memory",
    signs=(
        Sign(
            5.0,
            (
                r"memory~(?:grow|ris|increas|climb|goes up|creep|accumulat|leak)\w*~(?:each|every|after|per"
                r"|with)~(?:save|checkpoint)|(?:each|every|after)~(?:save|checkpoint)~memory~(?:grow|ris"
                r"|increas|climb|higher|not go down|not released|leak|up)"
            ),
        ),
        Sign(
            5.0,
            r"(?:(?:every|each) time|when(?:ever)?)~sav(?:e|es|ing)\b|(?:every|each) (?:save|checkpoint)\b",
            r"(?:goes|go|went|creeps?|climbs?|moves?) up|grows?|rises?|increases?|adds?",
            r"(?:never|not|doesn.?t|does not)~(?:comes?|goes?|go|drops?|falls?)~(?:down|back)|never (?:freed|released)",
        ),
        Sign(
            -4.0,
            r"activation[ _]checkpoint|checkpoint_wrapper|recomput",
        ),
        Sign(
            3.0,
            r"after (?:the |its )?second|before the first save|after (?:the )?first save",
            r"mib|gib|\bgb\b|memory",
        ),
        Sign(
            2.0,
            r"memory_reserved|memory_allocated|nvidia-smi",
            SAVE,
            r"grow|not go down|not released|increas|stays high|leak",
        ),
        Sign(
            3.0,
            r"after (?:the )?(?:\w+ )?(?:save|checkpoint)(?: \d)?",
            r"allocated|reserved",
            OOM + r"|grow|leak|gib",
        ),
    ),
    cost="the copy to the CPU takes time at each save",
    confirm="memory_allocated() after the second and third save is the same",
)
