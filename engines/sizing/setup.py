"""TrainingSetup: how a model is trained, as far as memory depends on it."""

from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from contracts.base import Contract
from contracts.errors import RequestInvalid
from engines.sizing.kinds import DTYPE_BYTES as DTYPE_BYTES
from engines.sizing.kinds import STATE_BYTES_PER_ELEMENT, Checkpointing, LossImpl, Optimizer, Schedule

_Degree = Field(default=1, ge=1, le=1 << 20)


class TrainingSetup(Contract):
    """The settings of one training run; each has the value that FSDP2 users have."""

    ranks: int = Field(ge=1, le=1 << 20)
    """Processes in all (world size)."""
    dp_shard: int = _Degree
    """Ranks over which FSDP shards."""
    dp_replicate: int = _Degree
    """Replicas of the sharded model (HSDP)."""
    tp: int = _Degree
    """Tensor-parallel degree, with sequence parallelism."""
    cp: int = _Degree
    """Context-parallel degree; FSDP shards over dp_shard x cp."""
    pp: int = _Degree
    """Pipeline-parallel degree."""
    pp_schedule: Schedule = "1f1b"
    """Order of the micro-batches in a pipeline."""
    pp_virtual: int = Field(default=2, ge=1, le=64)
    """Stages of one rank, for interleaved_1f1b."""
    ep: int = _Degree
    """Expert-parallel degree, taken from the shard ranks: each holds 1/ep of the experts."""
    ranks_per_node: int = Field(default=8, ge=1, le=1 << 10)
    """Ranks that share one machine's host memory."""
    fsdp: Literal[0, 1, 2] = 2
    """Generation of FSDP; 0: none (one process, or DDP)."""
    device: Literal["cuda", "cpu"] = "cuda"
    """Where it trains."""
    micro_batch: int = Field(default=1, ge=1, le=1 << 20)
    """Sequences per rank and micro-step."""
    seq_len: int = Field(ge=1, le=1 << 27)
    """Tokens per sequence, before context parallelism divides it."""
    grad_accum: int = Field(default=1, ge=1, le=1 << 20)
    """Micro-steps per optimizer step."""
    accumulate_unsharded: bool = False
    """Micro-steps but the last one leave their gradients unsharded in the reduce dtype
    (set_requires_gradient_sync(False)); otherwise each one reduces."""
    param_dtype: Literal["bf16", "fp16", "fp32"] = "bf16"
    """Dtype of gathered parameters and of activations."""
    autocast: bool = False
    """torch.autocast casts for each matrix product (to param_dtype), not FSDP: parameters are
    gathered, and the residual stream is kept, in the master dtype."""
    reduce_dtype: Literal["bf16", "fp16", "fp32"] = "fp32"
    """Dtype of the gradient reduction."""
    master_dtype: Literal["bf16", "fp16", "fp32"] = "fp32"
    """Dtype of the sharded parameters, gradients and optimizer state."""
    float8: Literal["none", "tensorwise", "rowwise", "mxfp8"] = "none"
    """Scaling of float8 matrix products, where they are used."""
    float8_all_gather: bool = False
    """Parameters are gathered in float8."""
    optimizer: Optimizer = "adamw"
    """Optimizer."""
    optimizer_paged: bool = False
    """Optimizer state in pageable memory (bitsandbytes), outside the allocator."""
    optimizer_impl: Literal["foreach", "fused", "loop"] = "foreach"
    """Implementation of its step."""
    optimizer_in_backward: bool = False
    """Each parameter is updated, and its gradient freed, during the backward pass."""
    ac: Checkpointing = "none"
    """Activation checkpointing."""
    ac_every: int = Field(default=1, ge=1, le=1_000)
    """For every_k: one block in so many is checkpointed."""
    attention_kept: bool = True
    """For selective_op: the policy names the attention kernel that runs, and so keeps its result."""
    abs_kept: bool = False
    """For selective_op: the policy keeps absolute values, which float8 casts take of whole tensors."""
    compile: bool = False
    """torch.compile of each block."""
    norm_kernel: Literal["fused", "decomposed"] = "decomposed"
    """RMSNorm as one kernel, or as separate elementwise operations (compile fuses both)."""
    loss_impl: LossImpl = "fp32_copy"
    """Implementation of the loss."""
    loss_chunks: int = Field(default=8, ge=1, le=1 << 16)
    """Pieces of a chunked or fused linear loss."""
    loss_parallel: bool = True
    """With tp: the loss works on logits that are split by vocabulary (torch's loss_parallel)."""
    shifted_copy: bool = False
    """The loss copies the logits without their last position (transformers before 4.45)."""
    logits_kept: bool = False
    """A reference to the logits lives until the end of the step."""
    wrap: Literal["blocks_root", "emb_blocks_head", "root"] = "blocks_root"
    """Groups: blocks and the root with embedding, norm and head; or embedding, blocks and
    [norm, head] each on their own; or the root alone."""
    reshard_after_forward: bool | int = True
    """Whether blocks are resharded after their forward; a number: to so many ranks only."""
    reshard_last: bool = True
    """Whether the last block, which backward needs at once, is resharded as well."""
    root_reshard: bool = False
    """Whether the root group (embedding, norm, head) is resharded after forward; by default
    torch leaves it gathered, because the backward needs it first."""
    reduce_input_default_stream: bool = True
    """The reduce-scatter input comes from the default stream (torch from July 2024)."""
    act_offload: bool = False
    """What a block keeps for its backward waits in host memory."""
    cpu_offload: bool = False
    """Sharded parameters, gradients and optimizer state live in host memory."""
    model_code: Literal["torchtitan", "transformers"] = "transformers"
    """Whose model code: rotary embedding in complex fp32 and repeated keys and values, or by
    halves in the compute dtype and grouped-query attention."""
    lora_rank: int = Field(default=0, ge=0, le=1 << 14)
    """Rank of adapters; 0: none."""
    lora_targets: tuple[str, ...] = ()
    """Projections with adapters; empty: all of a block."""
    base_bits: Literal[4, 8, 16, 32] = 16
    """Bits of a frozen base weight (4: QLoRA's NF4); for LoRA only."""
    kv_kept: bool = False
    """The model returns each layer's keys and values, and they live until the end of the step
    (transformers with use_cache, where checkpointing is not its own)."""
    flat_mixed: bool = False
    """With adapters under FSDP1: a unit holds frozen and trained weights in one flat parameter
    (use_orig_params), so that the gradient covers both; otherwise adapters are units of their own."""
    expandable_segments: bool = False
    """PYTORCH_ALLOC_CONF=expandable_segments:True."""
    flash_attention_2: bool = False
    """transformers' attn_implementation: it needs no mask for a sliding window."""
    materialized_attention: bool = False
    """Attention scores are materialised (no flash or memory-efficient kernel)."""

    @model_validator(mode="after")
    def _mesh_multiplies_to_the_ranks(self) -> Self:
        degrees = {name: getattr(self, name) for name in ("dp_replicate", "dp_shard", "cp", "tp", "pp")}
        product = 1
        for degree in degrees.values():
            product *= degree
        if product != self.ranks:
            shown = " x ".join(f"{name} {degree}" for name, degree in degrees.items())
            raise ValueError(
                f"the mesh does not multiply to the ranks: {shown} = {product}, but there are {self.ranks}"
            )
        return self

    @model_validator(mode="after")
    def _parts_of_the_shard_ranks(self) -> Self:
        shard = self.dp_shard * self.cp
        if shard % self.ep:
            raise ValueError(
                f"ep {self.ep} does not divide the shard ranks: {shard} / {self.ep} = {shard / self.ep:.2f}"
            )
        part = self.reshard_after_forward
        if not isinstance(part, bool):
            if part < 1:
                raise ValueError(f"reshard_after_forward {part} ranks: give true, false or a whole number above 1")
            if shard % part:
                raise ValueError(
                    f"reshard_after_forward {part} does not divide the shard ranks: "
                    f"{shard} / {part} = {shard / part:.2f}"
                )
        return self

    @model_validator(mode="after")
    def _pieces_are_whole(self) -> Self:
        if self.seq_len % (self.cp * self.tp):
            whole = f"{self.seq_len} / ({self.cp} x {self.tp}) = {self.seq_len / (self.cp * self.tp):.2f}"
            raise ValueError(f"seq_len does not divide over cp and tp: {whole}")
        if self.ac_every > 1 and self.ac != "every_k":
            raise ValueError(f"ac_every {self.ac_every} means something with ac=every_k only, not with {self.ac}")
        return self

    @property
    def shard_ranks(self) -> int:
        """Ranks over which each parameter is sharded."""
        return self.dp_shard * self.cp

    @property
    def post_forward_ranks(self) -> int:
        """Ranks over which blocks are sharded between forward and backward; 0: as always, or not at all."""
        part = self.reshard_after_forward
        # 1 rank means no resharding, and all of them the usual one.
        return 0 if isinstance(part, bool) or part in (1, self.shard_ranks) else part

    @property
    def reshards(self) -> bool:
        """Whether blocks give up their gathered parameters after forward."""
        part = self.reshard_after_forward
        return part if isinstance(part, bool) else part > 1

    @property
    def tokens(self) -> int:
        """Tokens of one rank in one micro-step."""
        return self.micro_batch * self.seq_len // self.cp

    @property
    def splits_loss(self) -> bool:
        """Whether the loss works on logits that are split over tp by vocabulary."""
        return self.tp > 1 and self.loss_parallel

    @property
    def act_bytes(self) -> int:
        """Bytes of an activation's element."""
        return DTYPE_BYTES[self.param_dtype]

    @property
    def gathered_bytes(self) -> int:
        """Bytes of an element of a gathered parameter."""
        return DTYPE_BYTES[self.master_dtype] if self.autocast else self.act_bytes

    @property
    def residual_bytes(self) -> int:
        """Bytes of an element of the residual stream."""
        return self.gathered_bytes

    @property
    def state_bytes_per_param(self) -> float:
        """Bytes of optimizer state for one trained parameter."""
        if self.optimizer == "adamw_8bit":
            return 2.0
        return STATE_BYTES_PER_ELEMENT[self.optimizer] * DTYPE_BYTES[self.master_dtype]


def make_setup(**settings: Any) -> TrainingSetup:
    """Return a setup; dp_shard follows from the ranks where it is left out.

    Raises:
        RequestInvalid: A setting is unknown, out of range, or contradicts another; the
            message shows the arithmetic.
    """
    if "dp_shard" not in settings:
        settings["dp_shard"] = _remaining(settings)
    try:
        return TrainingSetup(**settings)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            known = ", ".join(sorted(TrainingSetup.model_fields))
            raise RequestInvalid(f"{place!r} is no setting", hint=f"settings: {known}") from None
        said = first["msg"].removeprefix("Value error, ")
        given = f" (given: {str(first['input'])[:60]})" if place else ""
        raise RequestInvalid(f"{place + ': ' if place else ''}{said}{given}") from None


def _remaining(settings: dict[str, Any]) -> int:
    """Return the ranks that the other mesh dimensions leave for sharding."""
    others = 1
    for name in ("dp_replicate", "cp", "tp", "pp"):
        degree = settings.get(name, 1)
        others *= degree if isinstance(degree, int) and degree > 0 else 1
    ranks = settings.get("ranks")
    if not isinstance(ranks, int) or ranks % others:
        return 1  # the validator says what does not multiply
    return max(1, ranks // others)
