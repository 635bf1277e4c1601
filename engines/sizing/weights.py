"""The parameter tensors of each part of a decoder, in the order in which modules hold them."""

from functools import lru_cache

from engines.sizing.shape import ModelShape, Weight

Weights = tuple[Weight, ...]


def embedding(shape: ModelShape) -> Weights:
    """Return the token embedding."""
    return (Weight(name="embedding", rows=shape.vocab, cols=shape.hidden),)


def final_norm(shape: ModelShape) -> Weights:
    """Return the norm after the last block."""
    return _norm(shape, "norm", shape.hidden)


def head(shape: ModelShape) -> Weights:
    """Return the output head; empty where it is the embedding."""
    if shape.tied:
        return ()
    bias = (Weight(name="head.bias", rows=shape.vocab),) if shape.head_bias else ()
    return (Weight(name="head", rows=shape.vocab, cols=shape.hidden), *bias)


@lru_cache(maxsize=64)
def block(shape: ModelShape, *, mixture: bool) -> Weights:
    """Return the tensors of one decoder block."""
    attention = _latent_attention(shape) if shape.latent else _attention(shape)
    inner = _experts(shape) if mixture else _dense(shape)
    norms: list[Weight] = []
    for index in range(shape.norms_per_block):
        norms += _norm(shape, f"norm{index}", shape.hidden)
    return (*attention, *inner, *norms)


def numel(weights: Weights) -> int:
    """Return the elements of some tensors together."""
    return sum(weight.numel for weight in weights)


def block_numel(shape: ModelShape, *, mixture: bool) -> int:
    """Return the parameters of one decoder block."""
    return numel(block(shape, mixture=mixture))


def outer_numel(shape: ModelShape) -> int:
    """Return the parameters outside the blocks: embedding, final norm and head."""
    return numel((*embedding(shape), *final_norm(shape), *head(shape)))


def _norm(shape: ModelShape, name: str, width: int) -> Weights:
    scale = Weight(name=name, rows=width)
    return (scale, Weight(name=f"{name}.bias", rows=width)) if shape.norm == "layer" else (scale,)


def _linear(name: str, rows: int, cols: int, bias: bool) -> Weights:
    matrix = Weight(name=name, rows=rows, cols=cols)
    return (matrix, Weight(name=f"{name}.bias", rows=rows)) if bias else (matrix,)


def _attention(shape: ModelShape) -> Weights:
    width, bias = shape.hidden, shape.qkv_bias
    out = _linear("o_proj", width, shape.q_dim, shape.out_bias)
    if shape.fused_projections:
        return (*_linear("qkv_proj", shape.q_dim + 2 * shape.kv_dim, width, bias), *out)
    norms = (Weight(name="q_norm", rows=shape.head_dim), Weight(name="k_norm", rows=shape.head_dim))
    return (
        *_linear("q_proj", shape.q_dim, width, bias),
        *_linear("k_proj", shape.kv_dim, width, bias),
        *_linear("v_proj", shape.kv_dim, width, bias),
        *out,
        *(norms if shape.qk_norm else ()),
    )


def _latent_attention(shape: ModelShape) -> Weights:
    latent, width = shape.latent, shape.hidden
    assert latent is not None
    if latent.q_rank:
        query: Weights = (
            Weight(name="q_a_proj", rows=latent.q_rank, cols=width),
            Weight(name="q_a_norm", rows=latent.q_rank),
            Weight(name="q_b_proj", rows=shape.q_dim, cols=latent.q_rank),
        )
    else:
        query = (Weight(name="q_proj", rows=shape.q_dim, cols=width),)
    expanded = shape.heads * (latent.nope_dim + latent.v_dim)
    return (
        *query,
        Weight(name="kv_a_proj", rows=latent.kv_rank + latent.rope_dim, cols=width),
        Weight(name="kv_a_norm", rows=latent.kv_rank),
        Weight(name="kv_b_proj", rows=expanded, cols=latent.kv_rank),
        Weight(name="o_proj", rows=width, cols=shape.out_dim),
    )


def _dense(shape: ModelShape) -> Weights:
    width, inner, bias = shape.hidden, shape.ffn, shape.mlp_bias
    down = _linear("down_proj", width, inner, bias)
    if not shape.gated:
        return (*_linear("up_proj", inner, width, bias), *down)
    if shape.fused_projections:
        return (*_linear("gate_up_proj", 2 * inner, width, bias), *down)
    return (*_linear("gate_proj", inner, width, bias), *_linear("up_proj", inner, width, bias), *down)


def _experts(shape: ModelShape) -> Weights:
    experts, width = shape.experts, shape.hidden
    assert experts is not None
    # The routed experts' matrices are stacked in two tensors, one row block per expert.
    routed = (
        Weight(name="router", rows=experts.count, cols=width),
        Weight(name="experts.gate_up", rows=experts.count, cols=2 * experts.ffn * width),
        Weight(name="experts.down", rows=experts.count, cols=width * experts.ffn),
    )
    if not experts.shared_ffn:
        return routed
    shared = (
        Weight(name="shared.gate_proj", rows=experts.shared_ffn, cols=width),
        Weight(name="shared.up_proj", rows=experts.shared_ffn, cols=width),
        Weight(name="shared.down_proj", rows=width, cols=experts.shared_ffn),
    )
    gate = (Weight(name="shared.gate", rows=1, cols=width),) if experts.shared_gate else ()
    return (*routed, *shared, *gate)
