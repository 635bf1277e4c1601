"""Activations and logits of one micro-step, roughly: what sharding does not divide."""

from knowledge.shapes import find_shape

TYPICAL_VOCABULARY = 100_000
"""Vocabulary entries assumed of a model whose configuration is not known: decoders since 2024 have
128,256 (Llama 3) or 151,936 (Qwen 2.5), older ones 32,000 to 50,000."""
LOGIT_BYTES = 12
"""Bytes per token and vocabulary entry, at the end of a forward whose loss is neither fused nor
chunked: bf16 logits 2, their fp32 copy 4, the fp32 gradient 4, its bf16 copy 2."""
_HEAD_BYTES = 8
"""Bytes per token and hidden unit beside the logits: the head's input and its gradient."""
_BLOCK_BYTES = 40
"""Bytes per token and hidden unit of the one block that is recomputed."""
_ASPECT = 128
"""Hidden size per layer of decoder models: P = 12 L D^2 with L = D / 128."""


def hidden_and_layers(params: float) -> tuple[float, float]:
    """Guess hidden size and layers of a decoder with `params` parameters.

    Args:
        params: Parameter count.

    Returns:
        Hidden size D and layers L, from P = 12 L D^2 and L = D / 128.
    """
    hidden = (params * _ASPECT / 12) ** (1 / 3)
    return hidden, hidden / _ASPECT


def vocabulary_of(model: str | None) -> int | None:
    """Return the vocabulary entries of a model that is known by its name, else None."""
    known = find_shape(model) if model else None
    entries = known.config.get("vocab_size") if known else None
    return entries if isinstance(entries, int) else None


def logits_gb(tokens: float, vocabulary: int) -> float:
    """Estimate logits and loss of `tokens` tokens, in GB (1e9 bytes)."""
    return LOGIT_BYTES * tokens * vocabulary / 1e9


def activations_gb(params: float, tokens: float, vocabulary: int) -> float:
    """Roughly estimate activations with full checkpointing, in GB.

    Args:
        params: Parameter count of the model that runs forward and backward.
        tokens: Tokens per GPU and micro-step.
        vocabulary: Entries of its vocabulary.

    Returns:
        Block inputs 2DL in bytes per token, and the larger of a block's working set (40D) and of
        the logits (12V, and 8D at the head): they are not there at the same time.
    """
    hidden, layers = hidden_and_layers(params)
    ends = LOGIT_BYTES * vocabulary + _HEAD_BYTES * hidden
    return tokens * (2 * hidden * layers + max(_BLOCK_BYTES * hidden, ends)) / 1e9
