"""The model: built without memory, sharded block by block, then filled from its folder."""

from functools import partial
from pathlib import Path
from typing import Any

import torch
from fsdp_sft_config import Config, ConfigError, Recipe
from fsdp_sft_weights import LoadCount, load_weights
from fsdp_sft_world import World, data_mesh
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard
from torch.utils.checkpoint import checkpoint
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


def load_tokenizer(folder: Path) -> Any:
    """Return the folder's tokenizer.

    Raises:
        ConfigError: The folder has none that can be read.
    """
    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read the tokenizer of {folder}: {error}") from error


def load_model(config: Config, world: World) -> tuple[nn.Module, LoadCount]:
    """Return the sharded model with its weights, in training mode.

    Raises:
        ConfigError: The folder's model cannot be trained by this job.
    """
    recipe = config.recipe
    model = _skeleton(config.model, recipe.seq_len)
    blocks = decoder_blocks(model)
    if recipe.activation_checkpointing == "full":
        for block in blocks:
            # inside the FSDP unit: the recomputation reuses what the backward has gathered
            block.forward = partial(checkpoint, block.forward, use_reentrant=False)
    shard(model, blocks, data_mesh(world, recipe.dp_replicate), recipe)
    ties = _names_by_parameter(model)
    model.to_empty(device=torch.device("cpu") if recipe.cpu_offload else world.device)
    assert _names_by_parameter(model) == ties, "to_empty must keep tied weights tied"
    recreate_buffers(model, world.device)
    count = load_weights(model, config.model)
    model.train()
    return model, count


def _skeleton(folder: Path, seq_len: int) -> nn.Module:
    """Return the model on the meta device: shapes, no memory."""
    try:
        shape = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        with torch.device("meta"):
            # fp32 are the master weights; the forward's dtype is the policy's affair
            model: nn.Module = AutoModelForCausalLM.from_config(shape, dtype=torch.float32, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"cannot build a causal language model from {folder}: {error}") from error
    if getattr(shape, "quantization_config", None):
        raise ConfigError(f"{folder} holds quantized weights: full fine-tuning needs unquantized ones")
    longest = getattr(shape, "max_position_embeddings", None)
    if longest is not None and seq_len > longest:
        raise ConfigError(f"seq_len ({seq_len}) is above the model's max_position_embeddings ({longest})")
    model.config.use_cache = False
    # before sharding, which gives the class another name
    model.config.architectures = [type(model).__name__]
    return model


def decoder_blocks(model: nn.Module) -> list[nn.Module]:
    """Return the modules that become FSDP units, children before parents.

    They are those that the model's class says must not be split (`_no_split_modules`).
    One that shares a weight with the rest is left to the root: tied weights must be in
    one unit.

    Raises:
        ConfigError: The class names none, or none is found: sharding the root alone
            would gather the whole model at once.
    """
    classes = set(getattr(model, "_no_split_modules", None) or ())
    found = [m for m in model.modules() if m is not model and type(m).__name__ in classes]
    names = _names_by_parameter(model)
    tied = {id(parameter) for parameter, own in zip(model.parameters(), names, strict=True) if len(own) > 1}
    blocks = [m for m in reversed(found) if not any(id(parameter) in tied for parameter in m.parameters())]
    if not blocks:
        raise ConfigError(f"{type(model).__name__} names no blocks to shard (_no_split_modules: {sorted(classes)})")
    return blocks


def _names_by_parameter(model: nn.Module) -> list[list[str]]:
    """Return all names of each parameter; tied ones have more than one."""
    names: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    return list(names.values())


def shard(model: nn.Module, blocks: list[nn.Module], mesh: DeviceMesh, recipe: Recipe) -> None:
    """Apply `fully_shard` to each block and then to the root, all under the same policies.

    Args:
        model: The root.
        blocks: Its blocks, children before parents.
        mesh: 1-D, or (replicate, shard).
        recipe: Names the dtypes, the offload and whether blocks reshard after forward.
    """
    # one policy for all units: the root's is not inherited. Outputs keep param_dtype; the loss casts them
    precision = MixedPrecisionPolicy(DTYPES[recipe.param_dtype], DTYPES[recipe.reduce_dtype])
    # pinning asks for a CUDA driver
    offload = CPUOffloadPolicy(pin_memory=mesh.device_type == "cuda") if recipe.cpu_offload else OffloadPolicy()
    for block in blocks:
        fully_shard(
            block,
            mesh=mesh,
            reshard_after_forward=recipe.reshard_after_forward,
            mp_policy=precision,
            offload_policy=offload,
        )
    # the root holds embedding and head, which the backward needs first: its default is not to reshard
    fully_shard(model, mesh=mesh, mp_policy=precision, offload_policy=offload)


def recreate_buffers(model: Any, device: torch.device) -> None:
    """Compute the buffers that no file has (rotary frequencies, masks) after `to_empty`.

    transformers does it in `_init_weights`, module by module; parameters that this
    touches are loaded afterwards. NaN marks what it leaves out.

    Args:
        model: A Hugging Face model after `to_empty`.
        device: Where the buffers belong; parameters may be elsewhere (CPU offload).

    Raises:
        ConfigError: A buffer was not computed.
    """
    for prefix, module in model.named_modules():
        lost = [name for name in module._non_persistent_buffers_set if module._buffers.get(name) is not None]
        for name, buffer in list(module._buffers.items()):
            if buffer is not None:
                module._buffers[name] = buffer.to(device)
        floating = [name for name in lost if module._buffers[name].is_floating_point()]
        for name in floating:
            module._buffers[name].fill_(float("nan"))
        if lost:
            with torch.no_grad():
                model._init_weights(module)
        for name in floating:
            if module._buffers[name].isnan().any():
                raise ConfigError(
                    f"{model.config.architectures[0]}: transformers does not re-create the buffer "
                    f"{prefix}.{name} of a model built without memory; a newer version may (5.0 or above)"
                )


def reshard(model: nn.Module) -> None:
    """Free what a forward without backward has left gathered (the root keeps its own)."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()
