"""Export: the trained weights as a Hugging Face folder.

Weights are written in fp32, as they were trained, so that nothing is lost. They are
gathered one by one, and at most one file of them waits in rank 0's host memory.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from fsdp_sft_world import World
from safetensors.torch import save_file
from torch import nn
from torch.distributed.tensor import DTensor

_FILE_BYTES = 4 << 30


def export_model(model: Any, tokenizer: Any, source: Path, target: Path, world: World) -> Path:
    """Write the folder under another name, then rename it. A collective.

    Args:
        model: The sharded model.
        tokenizer: Its tokenizer.
        source: The folder that the model came from.
        target: The folder to write; an older one is replaced.
        world: This process among the others.

    Returns:
        The target.
    """
    fresh = target.with_name(f".{target.name}.fresh")
    if world.rank == 0:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
    write_weights(model, fresh, world)
    if world.rank == 0:
        model.config.use_cache = True
        model.config.dtype = torch.float32
        model.config.save_pretrained(fresh)
        tokenizer.save_pretrained(fresh)
        generation = source / "generation_config.json"
        if generation.is_file():
            # as it was: transformers refuses to write some that it reads
            shutil.copyfile(generation, fresh / generation.name)
        else:
            model.generation_config.save_pretrained(fresh)
        for file in fresh.glob("*.safetensors"):
            # safetensors writes for its owner alone; the folder's other files follow the umask
            shutil.copymode(fresh / "config.json", file)
        _replace(fresh, target)
    world.share(None)
    return target


def write_weights(model: nn.Module, folder: Path, world: World, file_bytes: int = _FILE_BYTES) -> None:
    """Gather each tensor on all ranks and write it on rank 0. A collective.

    Args:
        model: The sharded model.
        folder: Where the files go.
        world: This process among the others.
        file_bytes: Size of a file at most, unless one tensor alone is larger.
    """
    tensors = _stored_tensors(model)
    files = plan_files({name: tensor.numel() * tensor.element_size() for name, tensor in tensors.items()}, file_bytes)
    places: dict[str, str] = {}
    for number, names in enumerate(files, start=1):
        file = "model.safetensors" if len(files) == 1 else f"model-{number:05d}-of-{len(files):05d}.safetensors"
        content = {}
        for name in names:
            whole = gather(tensors[name])
            if world.rank == 0:
                content[name] = whole.detach().cpu().contiguous()
        if world.rank == 0:
            save_file(content, folder / file, metadata={"format": "pt"})
        places |= dict.fromkeys(names, file)
    if world.rank == 0 and len(files) > 1:
        total = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
        index = {"metadata": {"total_size": total}, "weight_map": places}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2), encoding="utf-8")


def _stored_tensors(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return parameters (tied ones once, under their first name) and persistent buffers."""
    state = model.state_dict()
    tied = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    tied -= {name for name, _ in model.named_parameters()}
    return {name: tensor for name, tensor in state.items() if name not in tied}


def plan_files(sizes: dict[str, int], file_bytes: int) -> list[list[str]]:
    """Return which tensors go into which file, in order.

    Args:
        sizes: Bytes of each tensor.
        file_bytes: Size of a file at most, unless one tensor alone is larger.
    """
    files: list[list[str]] = [[]]
    filled = 0
    for name, size in sizes.items():
        if files[-1] and filled + size > file_bytes:
            files.append([])
            filled = 0
        files[-1].append(name)
        filled += size
    return files


def gather(tensor: torch.Tensor) -> torch.Tensor:
    """Return the whole of a sharded tensor. A collective."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _replace(fresh: Path, target: Path) -> None:
    """Put a finished folder in the place of an older one."""
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)
