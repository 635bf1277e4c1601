"""4/8-bit integer storage cannot be flattened."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="quantized-integer-params",
    card="quantized-integer-params",
    signs=(
        Sign(
            6.0,
            (
                r"cannot flatten integer dtype|got torch\.\w+ and torch\.u?int8"
                r"|uniform dtype but got torch\.u?int8|only tensors of floating point~require gradients"
            ),
        ),
        Sign(
            4.0,
            r"(?:4|8)-?bit|bitsandbytes|\bbnb\b|int8|uint8|qlora|quanti[sz]ed",
            r"flatten|fsdp~(?:fail|error|wrap)|shard|integer|bnb_4bit_quant_storage",
        ),
        Sign(
            -3.0,
            r"loss moves",
        ),
    ),
    confirm="{p.dtype for p in model.parameters()} holds no integer",
)
