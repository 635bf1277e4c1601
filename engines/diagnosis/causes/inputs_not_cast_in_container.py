"""FSDP2 casts tensors in args/kwargs, dict, list, tuple only; tensors in a dataclass/custom object stay fp32."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="inputs-not-cast-in-container",
    card="inputs-not-cast-in-container",
    signs=(
        Sign(
            5.0,
            (
                r"dataclass|custom (?:\w+ )?(?:class|object|container)|namedtuple|batchencoding|modeloutput"
                r"|(?:object|class) that holds (?:the )?tensors|wrapped in an object"
            ),
            r"dtype|cast|float32|fp32|bfloat16|bf16",
        ),
        Sign(
            # weights were cast, what they met was not
            3.0,
            r"mat1 and mat2 must have the same dtype, but got float and (?:bfloat16|half)",
        ),
        Sign(
            2.0,
            r"mat1 and mat2 must have the same dtype|expected~same dtype|input type~(?:bias|weight) type",
            r"mixedprecisionpolicy|fully_shard|fsdp2",
        ),
        Sign(
            -3.0,
            r"buffer|recomput|lora|checkpointerror",
        ),
    ),
    confirm="the dtype of the tensors inside the object is the parameters'",
)
