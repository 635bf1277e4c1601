"""A sharded parameter meets a plain tensor in an operation of the script's own."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="mixed-tensor-and-dtensor",
    card="mixed-tensor-and-dtensor",
    signs=(
        Sign(
            3.0,
            r"got mixed torch\.tensor and dtensor",
        ),
        Sign(
            2.5,
            (
                r"aten\.(?:sub|add|mul|div|where|mse_loss|maximum|minimum|dist|lerp|masked_fill"
                r"|logical_and|eq|ne)_?\.\w+:? got mixed"
            ),
        ),
        Sign(
            3.0,
            (
                r"(?:cop(?:y|ies)|mask|snapshot|reference|clone)~(?:before|plain|unsharded)"
                r"|plain (?:cop(?:y|ies)|mask|tensor)"
            ),
            r"dtensor|fully_shard|fsdp2",
        ),
        Sign(
            -3.0,
            (
                r"aten\.(?:addmm|mm|bmm|linear|embedding|addcmul|addcdiv|copy|_foreach|_fused|stack"
                r"|cat)\w*|load_state_dict|recomput|checkpointerror|clip_grad|adagrad|ignored_params"
                r"|\.encode\(|foreach"
            ),
        ),
    ),
    confirm="isinstance(x, DTensor) holds for both operands",
)
