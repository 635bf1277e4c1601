"""One canonical dotted name for each of the paths under which a library exports a thing."""

import re
from functools import cache

FULLY_SHARD = "torch.distributed.fsdp.fully_shard"
FSDP1 = "torch.distributed.fsdp.FullyShardedDataParallel"
INIT_MESH = "torch.distributed.device_mesh.init_device_mesh"
DEVICE_MESH = "torch.distributed.device_mesh.DeviceMesh"
DDP = "torch.nn.parallel.DistributedDataParallel"
COMPILE = "torch.compile"
GRAD_SCALER = "torch.amp.GradScaler"
SHARDED_SCALER = "torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler"
NN_CLIP = "torch.nn.utils.clip_grad_norm_"
STATE = "torch.distributed.checkpoint.state_dict"
DCP = "torch.distributed.checkpoint"
DISTRIBUTED = "torch.distributed"
GET_RANK = "torch.distributed.get_rank"
MODULE_BASES = (
    "torch.nn.Module",
    "lightning.pytorch.LightningModule",
    "transformers.PreTrainedModel",
    "transformers.modeling_utils.PreTrainedModel",
)
"""Bases outside a project that make a class an nn.Module."""

_EXACT = {
    "torch.distributed._composable.fsdp.fully_shard": FULLY_SHARD,
    "torch.distributed.fsdp._fully_shard.fully_shard": FULLY_SHARD,
    "torch.distributed.init_device_mesh": INIT_MESH,
    "torch.distributed.DeviceMesh": DEVICE_MESH,
    "torch.cuda.amp.GradScaler": GRAD_SCALER,
    "torch.cuda.amp.grad_scaler.GradScaler": GRAD_SCALER,
    "torch.amp.grad_scaler.GradScaler": GRAD_SCALER,
    "torch.GradScaler": GRAD_SCALER,
    "torch.distributed.fsdp.ShardedGradScaler": SHARDED_SCALER,
    "torch.autocast": "torch.amp.autocast",
    "torch.cuda.amp.autocast": "torch.amp.autocast",
    "torch.amp.autocast_mode.autocast": "torch.amp.autocast",
    "torch.autograd.no_grad": "torch.no_grad",
    "torch.autograd.inference_mode": "torch.inference_mode",
    "torch.utils.data.DistributedSampler": "torch.utils.data.distributed.DistributedSampler",
    "lightning.Trainer": "lightning.pytorch.Trainer",
    "lightning.LightningModule": "lightning.pytorch.LightningModule",
    "lightning.Fabric": "lightning.fabric.Fabric",
    "torch._dynamo.compile": COMPILE,
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "accelerate.accelerator.Accelerator": "accelerate.Accelerator",
    "accelerate.utils.dataclasses.FullyShardedDataParallelPlugin": "accelerate.FullyShardedDataParallelPlugin",
    "accelerate.utils.FullyShardedDataParallelPlugin": "accelerate.FullyShardedDataParallelPlugin",
}

_PREFIXES = (
    ("torch.distributed._composable.fsdp.fully_shard.", "torch.distributed.fsdp."),
    ("torch.distributed._composable.fsdp.", "torch.distributed.fsdp."),
    ("torch.distributed.fsdp._fully_shard._fully_shard.", "torch.distributed.fsdp."),
    ("torch.distributed.fsdp._fully_shard.", "torch.distributed.fsdp."),
    ("torch.distributed.fsdp.fully_sharded_data_parallel.", "torch.distributed.fsdp."),
    ("torch.distributed.fsdp.api.", "torch.distributed.fsdp."),
    ("torch.distributed.distributed_c10d.", "torch.distributed."),
    ("torch.distributed._tensor.", "torch.distributed.tensor."),
    ("torch.distributed.checkpoint.state_dict_saver.", "torch.distributed.checkpoint."),
    ("torch.distributed.checkpoint.state_dict_loader.", "torch.distributed.checkpoint."),
    ("torch.distributed.checkpoint.filesystem.", "torch.distributed.checkpoint."),
    ("torch.nn.parallel.distributed.", "torch.nn.parallel."),
    ("torch.nn.utils.clip_grad.", "torch.nn.utils."),
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.distributed.", "torch.utils.data.distributed."),
    ("pytorch_lightning.", "lightning.pytorch."),
    ("lightning_fabric.", "lightning.fabric."),
    ("transformers.training_args.", "transformers."),
    ("transformers.trainer.", "transformers."),
)

_SUBMODULE = re.compile(r"^(torch\.optim|torch\.nn)\.(?:modules\.)?[a-z_0-9]+\.([A-Z]\w*)$")


@cache
def canonical(raw: str) -> str:
    """Return the one name under which rules know a thing.

    Args:
        raw: Dotted name as it follows from the imports.
    """
    exact = _EXACT.get(raw)
    if exact is not None:
        return exact
    for prefix, to in _PREFIXES:
        if raw.startswith(prefix):
            return canonical(to + raw[len(prefix) :]) if to != prefix else raw
    return _SUBMODULE.sub(r"\1.\2", raw)


RELEVANT = re.compile(
    r"fully_shard|FullyShardedDataParallel|FSDP|fsdp|torch\.distributed|DistributedSampler"
    r"|accelerate|TrainingArguments|init_process_group|DeviceMesh|device_mesh|dcp\.|DTensor|full_tensor|torchtitan"
)
"""A file without any of these is read only where another file leads to it."""
