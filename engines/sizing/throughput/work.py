"""What one rank computes in an optimizer step: floating-point operations and memory traffic."""

from dataclasses import dataclass
from functools import lru_cache

from engines.sizing import weights
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape

BACKWARD_MATMUL = 2.0
"""Backward over forward FLOPs of a matrix product: one product for each of its two inputs."""

BACKWARD_ATTENTION = 2.5
"""The same for flash attention: five products against two, because it recomputes the scores
(Dao 2023, "FlashAttention-2", section 3.1)."""

LOSS_BYTES = {
    "plain": 12,
    "fp32_copy": 28,
    "fp32_in_model": 28,
    "chunked": 28,
    "chunked_head": 28,
    "compiled": 10,
    "fused_linear": 16,
}
"""Bytes read and written for each logit, forward and backward, by the implementation of the loss."""

OPTIMIZER_BYTES = {"foreach": 80, "fused": 28, "loop": 80}
"""AdamW's bytes for each fp32 parameter: seven passes (fused) or an elementwise kernel for each
operation of torch/optim/adam.py."""

CLIP_BYTES = 12
"""Norm (read) and scaling (read, write) of each fp32 gradient."""


@dataclass(frozen=True)
class Work:
    """One rank and one optimizer step."""

    block_flops: float
    """Matrix products of the blocks, recomputation included; these run in float8 where it is on."""
    head_flops: float
    """Matrix products of the output head."""
    attention_flops: float
    """Products of attention, the causal half alone, recomputation included."""
    traffic_bytes: float
    """Bytes that elementwise work, loss, casts, copies and optimizer read and write."""
    kernels: float
    """Kernels that the host has to launch."""
    layers: float
    """Blocks of the rank."""
    model_flops: float
    """6 x active parameters x tokens + full (not causal) attention: what MFU counts (PaLM, appendix B)."""
    tokens: float
    """Tokens of the rank's share of the step (ranks of tp, cp and pp share a sequence)."""


def step_work(shape: ModelShape, setup: TrainingSetup) -> Work:
    """Return the work of one rank in one optimizer step."""
    tokens = setup.tokens * setup.grad_accum / setup.tp
    layers = shape.layers / setup.pp
    block = _block_numel(shape)
    again = recomputed_share(shape, setup)
    backward = BACKWARD_MATMUL if not setup.lora_rank else 1.0 + 2 * _adapter_share(shape, setup)
    products = 2 * block * tokens * layers * (1 + backward + again)
    ends = 2 * shape.vocab * shape.hidden * tokens / setup.pp * (3 if not setup.lora_rank else 2)
    attention = attention_flops(shape, setup) * tokens * layers
    attention_again = 1.0 if setup.ac == "full" else 1 / setup.ac_every if setup.ac == "every_k" else 0.0
    if setup.ac == "selective_op" and not setup.attention_kept:
        attention_again = 1.0
    return Work(
        block_flops=products,
        head_flops=ends,
        attention_flops=attention * (1 + BACKWARD_ATTENTION + attention_again),
        traffic_bytes=_traffic(shape, setup, tokens, layers),
        kernels=layers * setup.grad_accum * (60 if setup.compile else 170) * (1 + again / 3),
        layers=layers,
        model_flops=model_flops_per_token(shape, setup.seq_len) * tokens / setup.pp,
        tokens=tokens / setup.pp,
    )


def model_flops_per_token(shape: ModelShape, seq_len: int) -> float:
    """Return the FLOPs that MFU counts for one token: 6 N + 12 L Q S.

    N are the parameters that a token meets, without the embedding table; attention is
    counted whole, as published figures do (PaLM, appendix B; torchtitan).
    """
    met = _block_numel(shape) * shape.layers + shape.vocab * shape.hidden
    return 6 * met + 12 * shape.layers * shape.q_dim * seq_len


def attention_flops(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return the forward FLOPs of attention for one token and layer: 4 Q S / 2 with a causal mask."""
    seen = setup.seq_len / 2
    if shape.sliding_window and shape.sliding_window < setup.seq_len:
        window = shape.sliding_window
        seen = window - window * window / (2 * setup.seq_len)
    if setup.materialized_attention:
        seen = setup.seq_len  # nothing is skipped
    return 2 * (shape.q_dim + shape.out_dim) * seen


def recomputed_share(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return the share of a block's forward products that activation checkpointing repeats.

    Non-reentrant checkpointing stops once the last saved tensor is there, so the
    down-projection is not repeated; torchtitan's policy repeats every second product.
    """
    if setup.ac == "none":
        return 0.0
    block = _block_numel(shape)
    dense = shape.experts is None
    down = shape.hidden * shape.ffn / block if dense else 0.0
    if setup.ac == "full":
        return 1 - down
    if setup.ac == "every_k":
        return (1 - down) / setup.ac_every
    if dense and shape.gated and not shape.fused_projections:
        return (shape.kv_dim * shape.hidden + shape.out_dim * shape.hidden + shape.ffn * shape.hidden) / block
    return 0.5


def adapter_params(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return the adapters' parameters: rank x (rows + columns) for each matrix that has one."""
    matrices = [weight for weight in weights.block(shape, mixture=False) if weight.cols > 1]
    if setup.lora_targets:
        matrices = [weight for weight in matrices if weight.name in setup.lora_targets]
    return float(shape.layers * setup.lora_rank * sum(weight.rows + weight.cols for weight in matrices))


@lru_cache(maxsize=64)
def _params(shape: ModelShape) -> int:
    return shape.params


@lru_cache(maxsize=64)
def _block_numel(shape: ModelShape) -> float:
    """Return the parameters of a block that one token meets, on average over the layers."""
    mixture = shape.mixture_layers
    total = 0.0
    if mixture < shape.layers:
        total += (shape.layers - mixture) * weights.block_numel(shape, mixture=False)
    if shape.experts is not None and mixture:
        idle = (shape.experts.count - shape.experts.per_token) * 3 * shape.hidden * shape.experts.ffn
        total += mixture * (weights.block_numel(shape, mixture=True) - idle)
    return total / shape.layers


def _adapter_share(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return the adapters' parameters over a block's: their products come on top of the frozen ones."""
    return adapter_params(shape, setup) / shape.layers / _block_numel(shape)


def _traffic(shape: ModelShape, setup: TrainingSetup, tokens: float, layers: float) -> float:
    """Return the bytes of everything that is no matrix product."""
    again = {"none": 0.0, "every_k": 1 / setup.ac_every}.get(setup.ac, 1.0)
    inside = _block_bytes(shape, setup) * tokens * layers * (1 + 2 + again)
    ends = LOSS_BYTES[setup.loss_impl] * shape.vocab * tokens / setup.pp
    if setup.materialized_attention:
        inside += 12 * shape.heads * setup.seq_len * tokens * layers
    return inside + ends + _state_bytes(shape, setup)


def _block_bytes(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return the elementwise bytes of one token in one block's forward (each tensor read or written once).

    Compiled: norm with residual, rotary embedding and gate are one kernel each. Eager: each
    operation reads and writes; a decomposed RMSNorm does so in fp32.
    """
    d, q, kv = shape.hidden, shape.q_dim, shape.kv_dim
    inner: float = shape.ffn
    moved = 0.0
    if shape.experts is not None:
        inner = shape.experts.per_token * shape.experts.ffn + shape.experts.shared_ffn
        moved = 8.0 * d * shape.experts.per_token  # to the experts and back, read and written
    if setup.compile:
        size = 12.0 * d + 4 * (q + kv) + 6 * inner + moved
    else:
        decomposed = setup.norm_kernel == "decomposed" and shape.norm == "rms"
        norms = shape.norms_per_block * (32 if decomposed else 4) * d
        size = norms + 12 * d + 12 * (q + kv) + 4 * q + 10 * inner + moved
    return size * setup.act_bytes / 2 + (4 * inner + 8 * d if setup.float8 != "none" else 0)


def _state_bytes(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return the bytes of the optimizer, of gradient clipping and of FSDP's copies in and out."""
    split = setup.tp * setup.pp
    params = _params(shape) / split
    ranks = setup.shard_ranks if setup.fsdp else 1
    trained = params if not setup.lora_rank else adapter_params(shape, setup) / split
    master = DTYPE_BYTES[setup.master_dtype]
    total = 0.0
    if not setup.cpu_offload and setup.optimizer != "none":
        total += (OPTIMIZER_BYTES[setup.optimizer_impl] + CLIP_BYTES) * trained / ranks * master / 4
    if ranks > 1:
        gathers = (2 if setup.reshard_after_forward else 1) * setup.grad_accum
        total += gathers * 2 * setup.act_bytes * params  # copied out of the all-gather's buffer
        total += (setup.act_bytes + DTYPE_BYTES[setup.reduce_dtype]) * trained  # into the reduce-scatter's
    if setup.lora_rank and setup.base_bits < 16:
        total += 3 * 2.5 * params * setup.grad_accum  # each use of a 4-bit weight writes it out in the compute dtype
    return total
