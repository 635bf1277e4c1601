"""A token id has no row in the embedding."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="token-id-out-of-range",
    card="token-id-out-of-range",
    signs=(
        Sign(
            6.0,
            r"index out of range in self",
        ),
        Sign(
            5.0,
            (
                r"srcindex < srcselectdimsize|indexselectlargeindex|vectorized_gather_kernel"
                r"|ind >= 0 && ind < ind_dim_size"
            ),
        ),
        Sign(
            4.0,
            (
                r"added (?:special )?tokens?|new tokens?|len\(tokenizer\)|vocab\w*~(?:larger|smaller"
                r"|differ|mismatch)"
            ),
            r"device-side assert|index(?:error)?~out of range|out of range",
        ),
    ),
    confirm="input_ids.max() is below num_embeddings",
)
