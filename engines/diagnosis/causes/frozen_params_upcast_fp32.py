"""Frozen base weights upcast to fp32."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="frozen-params-upcast-fp32",
    card="frozen-params-upcast-fp32",
    signs=(
        Sign(
            5.0,
            r"frozen|base (?:weights|model|parameters)|non-trainable|\blora\b|requires_grad",
            r"(?:cast|convert|upcast|stay|show|loaded|dtype|in|are)\w*~(?:fp32|float32)|upcast",
            OOM + r"|memory|double|twice|4 bytes",
        ),
        Sign(
            2.0,
            r"\blora\b|peft|adapter",
            r"upcast|cast to (?:fp32|float32)|torch\.float32",
            r"memory|" + OOM,
        ),
        Sign(
            -3.0,
            r"gradient memory usage will be higher|flatten",
        ),
    ),
    confirm="the dtype of frozen parameters after prepare is bf16; memory falls by 2 bytes for each",
)
