"""Host RAM runs out at load time in one process (inference or single-GPU training)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="host-ram-inference-load",
    card="host-ram-exhausted-at-load",
    signs=(
        Sign(
            5.0,
            (
                r"inference|no training|single[ -](?:gpu|process)|one process|not training"
                r"|only (?:want to )?load|colab|chat|serv(?:e|ing)"
            ),
            r"killed|\bram\b|sigkill|-9|out of (?:host |system |cpu )?memory",
            r"load|from_pretrained|checkpoint shards",
        ),
        Sign(
            -4.0,
            r"every (?:rank|process)|each (?:rank|process)|torchrun|nproc|fsdp|per gpu",
        ),
    ),
    outside="never_fsdp",
)
