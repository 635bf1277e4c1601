"""Full plain tensors are loaded into sharded parameters, or one rank's shard is taken for the whole."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="full-weights-into-sharded-model",
    card="plain-load-into-fsdp2",
    signs=(
        Sign(
            5.0,
            (
                r"load_state_dict|from_pretrained|load_weights|safetensors|torch\.load"
                r"|while copying the parameter named"
                r"|load(?:ing|s|ed)? (?:a |the |our |plain )?(?:full )?(?:checkpoint|weights|state.?dict)"
            ),
            r"(?:aten\.copy_\S* )?got mixed torch\.tensor and dtensor",
        ),
        Sign(
            1.0,
            r"size mismatch for",
            r"copying a param with shape",
        ),
        Sign(
            -3.0,
            r"optimizer\.step|_fused_adam|_foreach|optim/\w+\.py",
        ),
    ),
    quantity="one_shard_of_it",
    confirm="a parameter's full_tensor() equals the file's tensor",
)
