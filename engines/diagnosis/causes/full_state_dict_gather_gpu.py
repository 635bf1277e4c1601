"""One peak at save: the full state dict is gathered on the GPU (of every rank) instead of offloaded to rank 0."""

from engines.diagnosis.cause import OOM, SAVE, CauseRule, Sign

RULE = CauseRule(
    cause="full-state-dict-gather-gpu",
    card="full-sd-without-offload",
    signs=(
        Sign(
            5.0,
            r"failed to clone\(\) tensor with name",
        ),
        Sign(
            4.0,
            (
                r"full_?state_?dict|full state ?dict|fullstatedict|gather\w*~(?:full|whole|entire"
                r"|complete) (?:model|state|weights)"
            ),
            OOM,
            (
                r"(?:while|when|during|after|at|before) (?:the |each |every )?\w{0,12} ?(?:sav|checkpoint)"
                r"|sav\w+ (?:the |a )?(?:model|checkpoint|weights)|save_(?:model|pretrained|checkpoint)\b"
                r"|end of training|rank0_only|offload_to_cpu|state_dict\(\)"
            ),
        ),
        Sign(
            3.0,
            OOM,
            (
                r"\b(?:while|when|during|at|on) (?!activation|gradient)(?:\w+ )?(?:sav|checkpoint)\w*"
                r"|save_(?:model|pretrained|checkpoint)|state_dict\(\)"
            ),
        ),
        Sign(
            2.0,
            r"training (?:fits|is fine|works|runs)|finish normally",
            SAVE,
            OOM,
        ),
        Sign(
            -3.0,
            r"grow|every few steps|after the second|resum",
        ),
        Sign(
            -2.5,
            r"\(host\)|host (?:memory|ram)|cpu memory|metadata",
        ),
        Sign(
            5.0,
            r"_full_(?:post|pre)_state_dict_hook|_unshard_fsdp_state_dict",
            OOM,
        ),
        Sign(
            3.0,
            r"\bsaving (?:the )?(?:full )?(?:model|checkpoint|state|weights)",
            OOM,
        ),
    ),
    cost="host memory for the whole model on rank 0",
    confirm="max_memory_allocated() during the save stays below training's",
)
