"""Evaluation keeps all logits on the GPU."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="eval-logits-accumulate",
    card="eval-logits-accumulate",
    signs=(
        Sign(
            5.0,
            (
                r"nested_concat|preds_host|eval_accumulation_steps|preprocess_logits_for_metrics"
                r"|prediction_loop|evaluation_loop"
            ),
        ),
        Sign(
            4.0,
            r"eval\w*|validation",
            (
                r"memory~(?:grow|increas|climb|ris)\w*|(?:keep|collect|gather|accumulat|append|concat"
                r"|stor)\w*~(?:logits|predictions|outputs)"
            ),
            OOM + r"|gb|memory|logits",
        ),
        Sign(
            -3.0,
            r"generate|checkpoint every",
        ),
    ),
    cost="metrics in pieces, or transfers to the CPU",
    confirm="memory_allocated() is flat over the evaluation",
)
