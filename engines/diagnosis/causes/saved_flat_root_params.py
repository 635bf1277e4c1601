"""Checkpoint holds flattened root parameters."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="saved-flat-root-params",
    card="saved-flat-root-params",
    signs=(
        Sign(
            6.0,
            r"size mismatch for \w\S*: copying a param with shape torch\.size\(\[\d+\]\) from checkpoint",
        ),
        Sign(
            4.0,
            (
                r"(?:\bflat(?:tened)?|one-?dimensional|\b1-?d)\b~(?:weight|param|tensor|embed|piece|vector)"
                r"|\[\d{6,}\]"
            ),
            r"sav|checkpoint|from_pretrained",
            r"embed|lm_head|root|norm",
            r"load|shape|size",
        ),
        Sign(
            -3.0,
            r"must be 2-d|must be a matrix",
        ),
    ),
    confirm="every tensor of the saved file has the model's shape",
)
