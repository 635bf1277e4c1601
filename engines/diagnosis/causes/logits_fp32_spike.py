"""Vocabulary-size fp32 logits/loss peak."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="logits-fp32-spike",
    card="logits-fp32-spike",
    signs=(
        Sign(
            4.0,
            OOM,
            r"cross_?entropy|logits\.float|log_softmax|lm_head|\.float\(\)|logits|vocab",
            r"vocab|logits|loss",
        ),
        Sign(
            3.0,
            r"vocab\w*~\d{5,}|\d{2,3}k vocab|\b(?:128256|151936|256000|152064|262144|129280)\b",
            OOM + r"|memory",
        ),
        Sign(
            -3.0,
            r"eval|recompil|nested_concat|ragged|epoch 1|sav(?:e|ing)",
        ),
    ),
    cost="chunks: one more pass over the head in backward",
    confirm="max_memory_allocated() falls by about the size of the logits",
)
