"""The closed form of the peak: a sum that a person can check with a pocket calculator.

T tokens of a rank and micro-batch, P parameters, N shard ranks, D hidden, F feed-forward,
Q and KV widths of queries and keys, H heads, V vocabulary; two bytes for each element of
the compute dtype (bf16), four for each fp32 one.
"""

from dataclasses import dataclass

from contracts.request import Language
from engines.sizing import weights
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say

GIB = 1 << 30
"""Bytes of a GiB."""


@dataclass(frozen=True)
class Part:
    """One component of the peak."""

    name: str
    """Component, such as "activations"."""
    bytes: float
    """Its size."""
    formula: str
    """Its arithmetic, as text."""
    note: str = ""
    """Name of a sentence that goes with it."""

    def line(self, language: Language) -> str:
        """Return the component on one line for a person."""
        formula = self.formula + (say(self.note, language) if self.note else "")
        return say("formula_part", language, name=self.name, formula=formula, size=self.bytes / GIB)


@dataclass(frozen=True)
class ClosedForm:
    """The parts by the counter in which they appear."""

    active: tuple[Part, ...]
    """What is allocated at the peak."""
    pools: tuple[Part, ...]
    """What the allocator holds on top: pools of other streams, and holes."""
    phase: str
    """Phase of the peak."""
    host: tuple[Part, ...] = ()
    """What lies in host memory instead (CPU offload)."""

    @property
    def active_bytes(self) -> float:
        """Peak of the allocated bytes."""
        return sum(part.bytes for part in self.active)

    @property
    def reserved_bytes(self) -> float:
        """Peak of the reserved bytes."""
        return self.active_bytes + sum(part.bytes for part in self.pools)


@dataclass(frozen=True)
class _Sizes:
    """Parameters by where they are, and the bytes that one of them takes."""

    trained: float
    frozen: float
    root: float
    block: float
    ranks: int
    frozen_bytes: float
    master: int
    reduce: int
    compute: int


def closed_form(shape: ModelShape, setup: TrainingSetup) -> ClosedForm:
    """Return the components of the peak, and the phase in which it falls."""
    sizes = _sizes(shape, setup)
    state, gradients = _state(sizes, setup), _gradients(sizes)
    host: tuple[Part, ...] = ()
    if setup.cpu_offload:
        host, state = (*state, gradients), ()
        gradients = Part("gradients", 0.0, "in host memory")
    if setup.accumulate_unsharded and setup.grad_accum > 1:
        waiting = sizes.reduce * sizes.trained
        state = (*state, Part("waiting_gradients", waiting, f"{sizes.reduce} P", "formula_waiting"))
    kept, loss = _kept(shape, setup), _loss(shape, setup)
    groups = _unsharded(shape, setup, sizes)
    at_loss = (*state, kept, loss, groups)
    recomputed = _recomputed(shape, setup)
    in_backward = (*state, kept, recomputed, _block_gradient(sizes), groups)
    temporaries = Part("optimizer_temporaries", sizes.master * sizes.trained / sizes.ranks, _shard(sizes.master))
    if setup.optimizer_impl != "foreach" or setup.cpu_offload:
        temporaries = Part("optimizer_temporaries", 0.0, f"none with {setup.optimizer_impl}")
    at_step = (*state, gradients, temporaries)
    phases = {"loss": at_loss, "backward": in_backward, "optimizer": at_step}
    phase = max(phases, key=lambda name: sum(part.bytes for part in phases[name]))
    pools = _pools(setup, shape, sizes, gradients, phase) if setup.device == "cuda" else ()
    return ClosedForm(tuple(part for part in phases[phase] if part.bytes), pools, phase, host)


def _sizes(shape: ModelShape, setup: TrainingSetup) -> _Sizes:
    split = setup.tp * setup.pp
    total, block = shape.params / split, weights.block_numel(shape, mixture=shape.mixture_layers > 0) / setup.tp
    trained = _adapters(shape, setup) / split if setup.lora_rank else total
    return _Sizes(
        trained=trained,
        frozen=total if setup.lora_rank else 0.0,
        root=weights.outer_numel(shape) / setup.tp,
        block=block,
        ranks=setup.shard_ranks if setup.fsdp else 1,
        frozen_bytes=setup.base_bits / 8,
        master=DTYPE_BYTES[setup.master_dtype],
        reduce=DTYPE_BYTES[setup.reduce_dtype],
        compute=setup.act_bytes,
    )


def _adapters(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return the adapters' parameters: rank x (rows + columns) for each targeted matrix."""
    matrices = [weight for weight in weights.block(shape, mixture=False) if weight.cols > 1]
    if setup.lora_targets:
        matrices = [weight for weight in matrices if weight.name in setup.lora_targets]
    return shape.layers * setup.lora_rank * float(sum(weight.rows + weight.cols for weight in matrices))


def _shard(size: float) -> str:
    return f"{size:g} P/N"


def _state(sizes: _Sizes, setup: TrainingSetup) -> tuple[Part, ...]:
    optimizer = 0.0 if setup.optimizer_paged else setup.state_bytes_per_param
    parts = [
        Part("parameters", sizes.master * sizes.trained / sizes.ranks, _shard(sizes.master)),
        Part("optimizer_state", optimizer * sizes.trained / sizes.ranks, _shard(optimizer)),
    ]
    if sizes.frozen:
        size = sizes.frozen_bytes * sizes.frozen / sizes.ranks
        parts.append(Part("frozen_parameters", size, f"{sizes.frozen_bytes:g} P_base/N"))
    return tuple(parts)


def _gradients(sizes: _Sizes) -> Part:
    return Part("gradients", sizes.reduce * sizes.trained / sizes.ranks, _shard(sizes.reduce))


def _kept_per_token(shape: ModelShape, setup: TrainingSetup, kind: str) -> tuple[float, str]:
    """Return the bytes that one token keeps in one block, and their formula (bf16)."""
    inner = shape.ffn
    if shape.experts:
        # Each routed token is copied in front of its experts and weighted behind them.
        inner = shape.experts.per_token * (shape.experts.ffn + 2 * shape.hidden) + shape.experts.shared_ffn
    matrices = 4 if shape.gated else 2
    fused = setup.compile or setup.norm_kernel == "fused"
    factors: tuple[float, float, float, float]
    if kind == "full":
        factors = (2, 0, 0, 0)
    elif kind == "selective_op":
        factors = (2 if setup.compile else 4, 4, 2, 2)
    else:
        factors = (8 if fused else 16, 6 if setup.compile else 8, 0, 6 if setup.compile else 2 * matrices)
    d, q, kv, f = factors
    if kind == "selective_op" and not setup.attention_kept:
        q -= 2
    heads = 0 if kind == "full" else 4
    size = d * shape.hidden + q * shape.q_dim + kv * shape.kv_dim + f * inner + heads * shape.heads
    if kind == "none" and setup.materialized_attention:
        size += 3 * 2 * shape.heads * setup.seq_len
    named = {"D": d, "Q": q, "KV": kv, "F": f, "H": heads}
    text = " + ".join(f"{factor:g}{name}" for name, factor in named.items() if factor)
    return size * setup.act_bytes / 2, text


def _kept(shape: ModelShape, setup: TrainingSetup) -> Part:
    tokens = setup.tokens / setup.tp
    layers = shape.layers / setup.pp
    if setup.ac != "every_k":
        size, text = _kept_per_token(shape, setup, setup.ac)
        return Part("activations", size * tokens * layers, f"T x layers x ({text})")
    every = setup.ac_every
    kept, text = _kept_per_token(shape, setup, "none")
    bare, bare_text = _kept_per_token(shape, setup, "full")
    size = (bare / every + kept * (every - 1) / every) * tokens * layers
    return Part("activations", size, f"T x layers x (({bare_text}) / {every} + ({text}) x {every - 1}/{every})")


def _recomputed(shape: ModelShape, setup: TrainingSetup) -> Part:
    """Return what one block holds once its forward is repeated in the backward."""
    size, text = _kept_per_token(shape, setup, "none")
    if setup.ac == "none":
        return Part("recomputed_block", 0.0, "nothing is recomputed")
    return Part("recomputed_block", size * setup.tokens / setup.tp, f"T x ({text})")


def _loss(shape: ModelShape, setup: TrainingSetup) -> Part:
    """Return the final norm's and the loss's tensors at the peak of the loss."""
    per_logit, text = {
        "plain": (6.0, "6VT"),
        "fp32_copy": (12.0, "12VT"),
        "fp32_in_model": (12.0, "12VT"),
        "chunked": (4 + 8 / setup.loss_chunks, f"(4 + 8/{setup.loss_chunks})VT"),
        "chunked_head": (2 + 4 / setup.loss_chunks, f"(2 + 4/{setup.loss_chunks})VT")
        if setup.compile
        else (6 + 10 / setup.loss_chunks, f"(6 + 10/{setup.loss_chunks})VT"),
        "compiled": (4.0, "4VT"),
        "fused_linear": (14 / setup.loss_chunks, f"14VT/{setup.loss_chunks}"),
    }[setup.loss_impl]
    if setup.logits_kept:
        per_logit, text = per_logit + 4, f"{text} + 4VT"
    tokens = setup.tokens / setup.tp
    size = (per_logit * shape.vocab + 8 * shape.hidden) * tokens
    return Part("loss", size, f"{text} + 8DT")


def _unsharded(shape: ModelShape, setup: TrainingSetup, sizes: _Sizes) -> Part:
    """Return the gathered parameters at the end of forward: the root, the last block, or all."""
    if sizes.ranks == 1 and setup.param_dtype == setup.master_dtype:
        return Part("unsharded_groups", 0.0, "no sharding")
    if not setup.reshards:
        size = sizes.compute * (shape.params / (setup.tp * setup.pp))
        return Part("unsharded_groups", size, f"{sizes.compute} P")
    if setup.root_reshard:
        return Part("unsharded_groups", sizes.compute * sizes.block, f"{sizes.compute} P_block")
    if setup.reshard_last:
        return Part("unsharded_groups", sizes.compute * sizes.root, f"{sizes.compute} P_root")
    kept = sizes.root + sizes.block
    return Part("unsharded_groups", sizes.compute * kept, f"{sizes.compute} (P_root + P_block)")


def _block_gradient(sizes: _Sizes) -> Part:
    size = 2 * sizes.compute * sizes.block if not sizes.frozen else 0.0
    return Part("unsharded_gradients", size, f"{2 * sizes.compute} P_block")


def _pools(setup: TrainingSetup, shape: ModelShape, sizes: _Sizes, gradients: Part, phase: str) -> tuple[Part, ...]:
    largest = max(sizes.root, sizes.block)
    gathered = sizes.compute * (largest * (1 + 1 / sizes.ranks) + sizes.block)
    pools = [Part("all_gather_pool", gathered, f"{sizes.compute} (P_root (1 + 1/N) + P_block)")]
    if phase != "optimizer":
        pools.append(Part("reduce_scatter_pool", gradients.bytes, gradients.formula))
    if phase == "loss" and setup.loss_impl in ("fp32_copy", "fp32_in_model", "chunked"):
        holes = sizes.compute * shape.vocab * setup.tokens / setup.tp
        pools.append(Part("allocator_holes", holes, f"{sizes.compute}VT", "formula_logits"))
    return tuple(part for part in pools if part.bytes)
