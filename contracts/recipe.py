"""Recipe: every setting of the built-in FSDP2 fine-tuning job."""

from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import Contract


class Recipe(Contract):
    """How to train. The payload reads exactly these names from its configuration."""

    steps: int = Field(default=100, ge=1)
    """Optimizer steps in the whole run."""
    seq_len: int = Field(default=512, ge=2)
    """Tokens per sequence; longer examples are cut, shorter ones padded."""
    micro_batch: int = Field(default=1, ge=1)
    """Sequences per rank and micro-step."""
    grad_accum: int = Field(default=1, ge=1)
    """Micro-steps per optimizer step."""
    lr: float = Field(default=2e-5, gt=0)
    """Peak learning rate of AdamW."""
    min_lr_ratio: float = Field(default=0.1, ge=0, le=1)
    """Learning rate at the last step, as a share of the peak (cosine schedule)."""
    warmup_steps: int = Field(default=0, ge=0)
    """Optimizer steps of linear warm-up."""
    weight_decay: float = Field(default=0.0, ge=0)
    """AdamW's decoupled weight decay, on matrices only (not on norms and biases)."""
    beta1: float = Field(default=0.9, ge=0, lt=1)
    """AdamW's first-moment decay."""
    beta2: float = Field(default=0.95, ge=0, lt=1)
    """AdamW's second-moment decay."""
    eps: float = Field(default=1e-8, gt=0)
    """AdamW's epsilon."""
    max_grad_norm: float = Field(default=1.0, ge=0)
    """Global gradient norm that `clip_grad_norm_` keeps to; 0 clips nothing."""
    param_dtype: Literal["bf16", "fp32"] = "bf16"
    """Dtype of the gathered parameters in forward and backward (master weights: fp32)."""
    reduce_dtype: Literal["bf16", "fp32"] = "fp32"
    """Dtype of the gradient reduce-scatter."""
    activation_checkpointing: Literal["none", "full"] = "none"
    """`full` recomputes every decoder block in the backward."""
    reshard_after_forward: bool = True
    """Whether blocks are resharded after forward (True: ZeRO-3; False: ZeRO-2)."""
    cpu_offload: bool = False
    """Keep sharded parameters, gradients and optimizer state in host memory."""
    dp_replicate: int = Field(default=1, ge=1)
    """Replicas of the sharded model (HSDP); 1 shards over all ranks."""
    seed: int = Field(default=0, ge=0)
    """Seed of the data order and of dropout."""
    eval_every: int = Field(default=0, ge=0)
    """Optimizer steps between evaluations; 0 evaluates at the end only, if at all."""
    eval_batches: int = Field(default=8, ge=1)
    """Micro-batches per rank in one evaluation."""
    checkpoint_every: int = Field(default=50, ge=0)
    """Optimizer steps between checkpoints; 0 saves at the end only."""
    keep_checkpoints: int = Field(default=2, ge=2)
    """Checkpoints kept; two at least, so that one bad one loses little."""
    async_checkpoints: bool = False
    """Write checkpoints while the training goes on. It then waits only for a copy of the state in
    host memory: as much again as the shards of a machine's ranks (12 bytes per parameter with
    AdamW), and where that is missing the job is killed. So it is off unless asked for."""
    log_every: int = Field(default=1, ge=1)
    """Optimizer steps between `step` events."""
    export: bool = True
    """Write a Hugging Face folder at the end."""

    @model_validator(mode="after")
    def _warmup_ends_before_the_run(self) -> Self:
        if self.warmup_steps >= self.steps:
            raise ValueError(f"warmup_steps ({self.warmup_steps}) must be below steps ({self.steps})")
        return self
