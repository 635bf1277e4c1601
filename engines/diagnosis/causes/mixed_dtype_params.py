"""Parameters of one FSDP unit have different dtypes (flatten/group error)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="mixed-dtype-params",
    card="fsdp1-mixed-dtype-flat-parameter",
    signs=(
        Sign(
            5.0,
            r"must flatten tensors with (?:uniform|the same) dtype",
        ),
        Sign(
            6.0,
            r"fsdp expects uniform original parameter dtype|expects all parameters to have (?:the )?same dtype",
        ),
        Sign(
            3.0,
            (
                r"(?:mix\w*|different|two|uniform|both)~dtypes?~(?:unit|wrap|flat|group|parameter|block)"
                r"|(?:layer ?norm|router|gate|lora|adapter|norm)\w*~(?:float32|fp32)~(?:bf16|bfloat16|rest)"
            ),
            r"flatten|uniform|wrap|assertion|refus|unit",
        ),
        Sign(
            4.0,
            (
                r"(?:bf16|bfloat16|fp16|float16|half)\}? and \{?(?:torch\.)?(?:fp32|float32|float)\b"
                r"|(?:fp32|float32)\}? and \{?(?:torch\.)?(?:bf16|bfloat16|fp16|float16)"
            ),
            r"flat|constructi|wrap|\bunit\b|fully_shard",
        ),
        Sign(
            -3.0,
            r"int8|uint8|integer|4-?bit|8-?bit|gradient dtype",
        ),
        Sign(
            5.0,
            r"fp32|float32|full precision",
            r"bf16|fp16|bfloat16|float16|half(?: precision)?|low(?:er)? precision",
            (
                r"(?:one|same|a single) (?:flat|unit|flatparameter)|(?:stops?|fails?|refus\w+|error)[^\n]{0,30}wrap"
                r"|wrap\w*[^\n]{0,30}(?:refus|stops?|fails?)"
            ),
        ),
    ),
    confirm="one dtype in each unit: {p.dtype for p in unit.parameters()}",
)
