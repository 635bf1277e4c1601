"""ModelShape: the sizes of a decoder model, and the parameters that follow from them."""

from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import Contract

MAX_LAYERS = 2_000
"""More layers than this is a typing error; it also bounds the work of an estimate."""

_Size = Field(ge=1, le=1 << 24)
_Count = Field(default=0, ge=0, le=1 << 24)


class Weight(Contract):
    """One parameter tensor, as FSDP2 shards it: along its first dimension."""

    name: str
    """Name within its module, such as "q_proj"."""
    rows: int
    """First dimension, the one that is sharded."""
    cols: int = 1
    """Product of the other dimensions."""

    @property
    def numel(self) -> int:
        """Elements of the whole tensor."""
        return self.rows * self.cols


class LatentAttention(Contract):
    """Multi-head latent attention (DeepSeek): keys and values from a small latent."""

    q_rank: int = _Count
    """Rank of the query's latent; 0: queries are projected directly."""
    kv_rank: int = _Size
    """Rank of the latent of keys and values."""
    nope_dim: int = _Size
    """Dimension of a head's part without position."""
    rope_dim: int = _Size
    """Dimension of a head's part with rotary position."""
    v_dim: int = _Size
    """Dimension of a head's value."""


class Experts(Contract):
    """The mixture-of-experts layers."""

    count: int = _Size
    """Routed experts in a layer."""
    per_token: int = _Size
    """Routed experts that each token visits."""
    ffn: int = _Size
    """Hidden dimension of one routed expert."""
    shared_ffn: int = _Count
    """Hidden dimension of the shared experts together; 0: none."""
    shared_gate: bool = False
    """A learned gate on the shared expert (Qwen2-MoE)."""
    weights_wide: bool = False
    """The router's weights are fp32, and so are the results while they are weighted (Mixtral, DeepSeek)."""
    first: int = _Count
    """Layers before the first mixture layer; these are dense."""
    every: int = Field(default=1, ge=1, le=MAX_LAYERS)
    """A mixture layer in each so many."""

    @model_validator(mode="after")
    def _not_more_than_there_are(self) -> Self:
        if self.per_token > self.count:
            raise ValueError(f"{self.per_token} experts per token of {self.count} experts")
        return self


class ModelShape(Contract):
    """Sizes of a decoder-only language model. Dimensions are in elements."""

    name: str = "model"
    """What to call it."""
    family: str = "llama"
    """`model_type` of its configuration."""
    layers: int = Field(ge=1, le=MAX_LAYERS)
    """Decoder blocks."""
    hidden: int = _Size
    """Width of the residual stream."""
    heads: int = _Size
    """Query heads."""
    kv_heads: int = _Size
    """Key and value heads."""
    head_dim: int = _Size
    """Dimension of one head."""
    ffn: int = _Size
    """Hidden dimension of a dense feed-forward block."""
    vocab: int = _Size
    """Rows of the embedding."""
    tied: bool = False
    """Whether the output head is the embedding's weight."""
    gated: bool = True
    """Three matrices (gate, up, down) rather than two."""
    qkv_bias: bool = False
    """Biases on the query, key and value projections."""
    out_bias: bool = False
    """A bias on the attention's output projection."""
    mlp_bias: bool = False
    """Biases in the feed-forward block."""
    head_bias: bool = False
    """A bias on the output head (Phi-2)."""
    qk_norm: bool = False
    """Norms on each head's queries and keys (Qwen3, Gemma3)."""
    norm: Literal["rms", "layer"] = "rms"
    """RMSNorm, or LayerNorm with a bias."""
    norms_per_block: int = Field(default=2, ge=1, le=4)
    """Norms of width `hidden` in a block: 2; 4 in Gemma2 and Gemma3; 1 in Phi-2."""
    fused_projections: bool = False
    """One matrix for query, key and value and one for gate and up (Phi-3)."""
    sliding_window: int | None = None
    """Tokens that an attention layer looks back, where it is limited."""
    full_every: int = Field(default=0, ge=0, le=MAX_LAYERS)
    """Each so many layers look back over everything, the others over the window; 0: all over the window."""
    logit_softcap: bool = False
    """Output logits go through a soft cap (Gemma2)."""
    score_softcap: bool = False
    """Attention scores go through a soft cap (Gemma2)."""
    eager_attention: bool = False
    """transformers has no attention kernel for it that keeps scores out of memory (Gemma2)."""
    norm_wide: bool = False
    """Norms multiply by their weight in fp32 (Gemma)."""
    heads_first: bool = False
    """Rotary embedding leaves queries laid out by head, so that the result of attention is copied (Phi)."""
    stepwise_gelu: bool = False
    """The activation is a GELU written in separate operations (Phi-2)."""
    router_wide: bool = False
    """The router works in fp32 (DeepSeek-V3)."""
    latent: LatentAttention | None = None
    """Latent attention's ranks, where it is used."""
    experts: Experts | None = None
    """Mixture-of-experts layers, where there are any."""
    notes: tuple[str, ...] = ()
    """What was assumed when the shape was read."""

    @model_validator(mode="after")
    def _heads_divide(self) -> Self:
        if self.heads % self.kv_heads:
            raise ValueError(
                f"{self.heads} query heads over {self.kv_heads} key-value heads: "
                f"{self.heads} / {self.kv_heads} = {self.heads / self.kv_heads:.2f} is not whole"
            )
        return self

    @property
    def q_dim(self) -> int:
        """Width of all queries together."""
        if self.latent:
            return self.heads * (self.latent.nope_dim + self.latent.rope_dim)
        return self.heads * self.head_dim

    @property
    def kv_dim(self) -> int:
        """Width of all keys together (and of all values)."""
        return self.kv_heads * self.head_dim

    @property
    def out_dim(self) -> int:
        """Width of the attention's result before its output projection."""
        return self.heads * self.latent.v_dim if self.latent else self.q_dim

    def is_mixture(self, layer: int) -> bool:
        """Tell whether a layer (counted from 0) routes its tokens to experts."""
        experts = self.experts
        return experts is not None and layer >= experts.first and (layer + 1) % experts.every == 0

    def looks_back(self, layer: int) -> int | None:
        """Return how many tokens a layer (counted from 0) looks back; None: all."""
        return None if self.full_every and (layer + 1) % self.full_every == 0 else self.sliding_window

    @property
    def mixture_layers(self) -> int:
        """How many layers route their tokens to experts."""
        return sum(self.is_mixture(layer) for layer in range(self.layers))

    @property
    def params(self) -> int:
        """Parameters in all, tied weights counted once."""
        from engines.sizing.weights import block_numel, outer_numel

        mixture = self.mixture_layers
        dense = self.layers - mixture
        blocks = dense * block_numel(self, mixture=False) if dense else 0
        blocks += mixture * block_numel(self, mixture=True) if mixture else 0
        return blocks + outer_numel(self)

    @property
    def active_params(self) -> int:
        """Parameters that one token meets: all but the experts it is not routed to."""
        if self.experts is None:
            return self.params
        idle = self.experts.count - self.experts.per_token
        return self.params - self.mixture_layers * idle * 3 * self.hidden * self.experts.ffn
