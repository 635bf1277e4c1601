"""The model's shape changed between checkpoint and load: another vocabulary, width or number of classes."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="checkpoint-shape-changed",
    card="dcp-size-mismatch",
    signs=(
        Sign(
            6.0,
            r"size mismatch between saved \S* and current|valueerror: size mismatch between saved",
        ),
        Sign(
            3.0,
            r"size mismatch for \S+: copying a param with shape torch\.size\(\[\d+, \d+",
        ),
        Sign(
            4.0,
            r"resize_token_embeddings|vocab(?:ulary)?(?:_size)?~(?:change|pad|resiz|added|differ)|added tokens",
            r"size mismatch|shape",
            r"load|checkpoint|resum",
        ),
    ),
    quantity="not_one_shard_of_it",
    cost="rows of new words start untrained",
    confirm="shapes in the checkpoint and in the model are printed equal",
)
