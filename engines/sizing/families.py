"""What each model family fixes beyond the fields of its config.json.

The defaults are those of the family's configuration class in transformers; counts of
parameters that follow are compared with the real classes in a test.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol


class Reader(Protocol):
    """Typed access to the fields of a configuration."""

    def size(self, key: str, default: int | None = None) -> int:
        """Return a whole number."""

    def flag(self, key: str, default: bool) -> bool:
        """Return a truth value."""

    def sizes(self, key: str) -> list[int]:
        """Return a list of whole numbers."""


Part = Callable[[Reader], dict[str, Any]]


def _nothing(read: Reader) -> dict[str, Any]:  # noqa: ARG001 - the signature of a Part
    return {}


def _mixtral(read: Reader) -> dict[str, Any]:
    inner = read.size("intermediate_size")
    count, chosen = read.size("num_local_experts", 8), read.size("num_experts_per_tok", 2)
    return {"experts": {"count": count, "per_token": chosen, "ffn": inner, "weights_wide": True}}


def _qwen_moe(read: Reader) -> dict[str, Any]:
    shared = read.size("shared_expert_intermediate_size", 0)
    dense = read.sizes("mlp_only_layers")
    return {
        "experts": {
            "count": read.size("num_experts"),
            "per_token": read.size("num_experts_per_tok"),
            "ffn": read.size("moe_intermediate_size"),
            "shared_ffn": shared,
            "shared_gate": shared > 0,
            "first": len(dense),
            "every": read.size("decoder_sparse_step", 1),
        }
    }


def _deepseek_moe(read: Reader) -> dict[str, Any]:
    if not read.size("n_routed_experts", 0):
        return {}
    inner = read.size("moe_intermediate_size")
    return {
        "experts": {
            "count": read.size("n_routed_experts"),
            "per_token": read.size("num_experts_per_tok"),
            "ffn": inner,
            "shared_ffn": inner * read.size("n_shared_experts", 0),
            "first": read.size("first_k_dense_replace", 0),
            "weights_wide": True,
        }
    }


def _deepseek_attention(read: Reader) -> dict[str, Any]:
    nope, rope = read.size("qk_nope_head_dim", 128), read.size("qk_rope_head_dim", 64)
    return {
        "head_dim": nope + rope,
        "latent": {
            "q_rank": read.size("q_lora_rank", 0),
            "kv_rank": read.size("kv_lora_rank", 512),
            "nope_dim": nope,
            "rope_dim": rope,
            "v_dim": read.size("v_head_dim", 128),
        },
    }


@dataclass(frozen=True)
class Traits:
    """The quirks of one family."""

    tied: bool = False
    """Default of tie_word_embeddings."""
    head_dim: int | None = None
    """Default of head_dim; None: hidden / heads."""
    qkv_bias: bool = False
    """Query, key and value always have biases."""
    out_bias: bool = False
    """So has the output projection."""
    bias_key_covers_out: bool = True
    """`attention_bias` means the output projection, too."""
    mlp_bias: bool = False
    """The feed-forward block always has biases."""
    ffn_per_hidden: int = 0
    """intermediate_size over hidden_size where it is absent; 0: it must be given."""
    full_every: int = 0
    """Default of sliding_window_pattern: each so many layers attend to everything."""
    score_cap: bool = False
    """Default of a soft cap on attention scores."""
    fixed: dict[str, Any] = field(default_factory=dict)
    """Fields of ModelShape that the family sets."""
    names: dict[str, str] = field(default_factory=dict)
    """Fields that this family spells otherwise."""
    mixture: Part = _nothing
    """Reads the experts."""
    latent: Part = _nothing
    """Reads the latent attention."""


_GEMMA = {"norm_wide": True}
_GEMMA4 = _GEMMA | {"norms_per_block": 4}
_PHI = {"gated": False, "norm": "layer", "norms_per_block": 1, "head_bias": True}

FAMILIES: dict[str, Traits] = {
    "llama": Traits(),
    "mistral": Traits(),
    "mixtral": Traits(mixture=_mixtral),
    "qwen2": Traits(qkv_bias=True, bias_key_covers_out=False),
    "qwen2_moe": Traits(qkv_bias=True, bias_key_covers_out=False, mixture=_qwen_moe),
    "qwen3": Traits(head_dim=128, fixed={"qk_norm": True}),
    "qwen3_moe": Traits(fixed={"qk_norm": True}, mixture=_qwen_moe),
    "gemma": Traits(tied=True, head_dim=256, fixed=_GEMMA),
    "gemma2": Traits(tied=True, head_dim=256, score_cap=True, fixed=_GEMMA4 | {"eager_attention": True}),
    "gemma3_text": Traits(tied=True, head_dim=256, full_every=6, fixed=_GEMMA4 | {"qk_norm": True}),
    "phi": Traits(
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        fixed=_PHI | {"heads_first": True, "stepwise_gelu": True},
    ),
    "phi3": Traits(fixed={"fused_projections": True, "heads_first": True}),
    "deepseek_v2": Traits(
        mixture=_deepseek_moe, latent=_deepseek_attention, fixed={"heads_first": True, "router_wide": True}
    ),
    "deepseek_v3": Traits(
        mixture=_deepseek_moe, latent=_deepseek_attention, fixed={"heads_first": True, "router_wide": True}
    ),
}
"""Families by `model_type`."""
