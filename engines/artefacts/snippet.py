"""The plan as FSDP2 Python: a module to import, with the calls in their right order."""

from engines.artefacts.job import Job

NAME = "fsdp2_setup.py"

_TEMPLATE = '''"""FSDP2 for @MODEL@ on @RANKS@ ranks, as planned.

    model = ...                        # on device "meta", or on the CPU
    mesh = make_mesh()
    model = shard(model, mesh)
    load_weights(...)                  # or model.to_empty(device=DEVICE) and initialise
    optimizer = make_optimizer(model)  # after sharding: it holds the sharded parameters
    ...                                # step() for each batch, and at the end, whatever happened:
    finish()

Start it with torchrun, one process for each of the @RANKS@ ranks.
"""

import os

import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy, fully_shard

DEVICE = "@DEVICE@"
DP_REPLICATE = @REPLICATE@
PARAM_DTYPE = torch.@PARAM@
REDUCE_DTYPE = torch.@REDUCE@
RESHARD_AFTER_FORWARD = @RESHARD@
ACTIVATION_CHECKPOINTING = @CHECKPOINT@
CPU_OFFLOAD = @OFFLOAD@
MICRO_BATCH, SEQ_LEN, GRAD_ACCUM = @BATCH@, @SEQ@, @ACCUM@
@RATES@
MAX_GRAD_NORM = @NORM@


def make_mesh() -> DeviceMesh:
    """Start the process group and return the mesh: (replicate, shard), or shard alone."""
    backend = "cpu:gloo,cuda:nccl" if DEVICE == "cuda" else "gloo"
    torch.distributed.init_process_group(backend)
    if DEVICE == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    ranks = torch.distributed.get_world_size()
    if DP_REPLICATE > 1:
        sizes = (DP_REPLICATE, ranks // DP_REPLICATE)
        return init_device_mesh(DEVICE, sizes, mesh_dim_names=("replicate", "shard"))
    return init_device_mesh(DEVICE, (ranks,), mesh_dim_names=("shard",))


def blocks_of(model: nn.Module) -> nn.ModuleList:
    """Return the decoder blocks: the longest ModuleList of the model."""
    lists = [module for module in model.modules() if isinstance(module, nn.ModuleList)]
    return max(lists, key=len)


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Checkpoint and shard every block, then the root, which takes embedding, norm and head."""
    blocks = blocks_of(model)
    if ACTIVATION_CHECKPOINTING:
        for index, block in enumerate(blocks):
            blocks[index] = checkpoint_wrapper(block)
    settings = {
        "mesh": mesh,
        "mp_policy": MixedPrecisionPolicy(param_dtype=PARAM_DTYPE, reduce_dtype=REDUCE_DTYPE),
        "offload_policy": CPUOffloadPolicy() if CPU_OFFLOAD else OffloadPolicy(),
        "reshard_after_forward": RESHARD_AFTER_FORWARD,
    }
    for block in blocks:
        fully_shard(block, **settings)
    fully_shard(model, **settings)
    return model


def make_optimizer(model: nn.Module) -> torch.optim.Optimizer:
    """Return @OPTIMIZER@ over the sharded parameters, which are fp32 (the master weights)."""
    return torch.optim.@CALL@


def step(model: nn.Module, optimizer: torch.optim.Optimizer, micro_batches: list, loss_of) -> torch.Tensor:
    """Run one optimizer step and return this rank's mean loss; `loss_of(model, batch)` is yours."""
    total = torch.zeros((), device=DEVICE)
    for index, batch in enumerate(micro_batches):
        model.set_requires_gradient_sync(index == len(micro_batches) - 1)
        loss = loss_of(model, batch) / len(micro_batches)
        loss.backward()
        total += loss.detach()
    if MAX_GRAD_NORM:
        torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_GRAD_NORM)
    optimizer.step()
    optimizer.zero_grad()
    return total


def finish() -> None:
    """End the process group; in a finally block."""
    torch.distributed.destroy_process_group()
'''

SNIPPET_OPTIMIZERS = {
    "adamw": ("AdamW", "AdamW(model.parameters(), lr=LEARNING_RATE, betas=BETAS, weight_decay=WEIGHT_DECAY)"),
    "sgd": ("SGD", "SGD(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)"),
    "sgd_momentum": (
        "SGD with momentum",
        "SGD(model.parameters(), lr=LEARNING_RATE, momentum=0.9, weight_decay=WEIGHT_DECAY)",
    ),
}
"""Optimizers that torch has and FSDP2 shards as they are: their names, and how they are made."""

_DTYPES = {"bf16": "bfloat16", "fp32": "float32"}


def snippet(job: Job) -> str:
    """Return the module's text."""
    recipe = job.recipe
    optimizer, call = SNIPPET_OPTIMIZERS[job.optimizer]
    rates = f"LEARNING_RATE, WEIGHT_DECAY = {recipe.lr}, {recipe.weight_decay}"
    if job.optimizer == "adamw":
        rates += f"\nBETAS = ({recipe.beta1}, {recipe.beta2})"
    values = {
        "MODEL": "".join(letter for letter in job.model if letter.isprintable() and letter not in '"\\'),
        "RANKS": job.ranks,
        "DEVICE": job.device,
        "REPLICATE": recipe.dp_replicate,
        "PARAM": _DTYPES[recipe.param_dtype],
        "REDUCE": _DTYPES[recipe.reduce_dtype],
        "RESHARD": recipe.reshard_after_forward,
        "CHECKPOINT": recipe.activation_checkpointing == "full",
        "OFFLOAD": recipe.cpu_offload,
        "BATCH": recipe.micro_batch,
        "SEQ": recipe.seq_len,
        "ACCUM": recipe.grad_accum,
        "RATES": rates,
        "OPTIMIZER": optimizer,
        "CALL": call,
        "NORM": recipe.max_grad_norm,
    }
    text = _TEMPLATE
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text
