"""What training takes without sharding: on one GPU, and as a replica under DDP."""

from engines.sizing.closed_form import GIB
from engines.sizing.estimate import OVERHEAD_GIB, estimate_memory
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape

BYTES_PER_PARAM = 16
"""Full fine-tuning with AdamW: 4 master weight, 4 gradient, 8 optimizer state (fp32)."""

ADAMW_STATE_BYTES = 8
"""Of these, AdamW's two fp32 moments; another optimizer has its own."""

BUCKET_BYTES_PER_PARAM = 4
"""On top under DDP: the buckets that gradients are reduced in (DistributedDataParallel copies
gradients into them unless gradient_as_bucket_view is set)."""

AUTOCAST_BYTES_PER_PARAM = 2
"""Likewise: the 16-bit copies that torch.autocast keeps of every weight from its first use to the
end of the backward; in fp32 there are none."""


def one_gpu_gib(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return what one GPU would need without sharding, in GiB.

    16 bytes for each parameter with AdamW (or the frozen base and the adapters), the activations and
    logits with full checkpointing, and the overhead.

    Args:
        shape: The model.
        setup: The settings; mesh, offloading and checkpointing are replaced.
    """
    lean = {"ranks": 1, "dp_shard": 1, "dp_replicate": 1, "tp": 1, "cp": 1, "pp": 1, "fsdp": 0}
    alone = estimate_memory(shape, setup.model_copy(update=lean | {"cpu_offload": False, "ac": "full", "ac_every": 1}))
    if setup.lora_rank:
        return alone.reserved_gib + OVERHEAD_GIB
    parts = alone.breakdown_gib
    transient = parts.get("activations", 0.0) + parts.get("working", 0.0)
    states = BYTES_PER_PARAM - ADAMW_STATE_BYTES + setup.state_bytes_per_param
    return states * shape.params / GIB + transient + OVERHEAD_GIB


def ddp_gib(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return what each GPU would need with a whole replica under DDP, in GiB."""
    alone = one_gpu_gib(shape, setup)
    if setup.lora_rank:
        return alone  # the adapters' buckets are small, the frozen base is in bf16 already
    return alone + ddp_bytes_per_param(setup) * shape.params / GIB


def ddp_bytes_per_param(setup: TrainingSetup) -> int:
    """Return what a parameter takes under DDP beyond weight, gradient and optimizer state."""
    return BUCKET_BYTES_PER_PARAM + (AUTOCAST_BYTES_PER_PARAM if setup.param_dtype != "fp32" else 0)
