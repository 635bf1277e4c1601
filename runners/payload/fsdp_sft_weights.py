"""Weights from a Hugging Face folder straight into the shards: each rank reads its rows.

No rank ever holds more than one slice of one parameter besides its own shards.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from fsdp_sft_config import ConfigError
from safetensors import SafetensorError, safe_open
from torch import nn
from torch.distributed.tensor import DTensor, Shard

_NAMES_SHOWN = 5


@dataclass
class LoadCount:
    """What one rank read."""

    elements: int = 0
    """Elements read from the files."""
    largest: int = 0
    """Elements of the largest single read."""

    def add(self, piece: torch.Tensor) -> None:
        """Count one read."""
        self.elements += piece.numel()
        self.largest = max(self.largest, piece.numel())


def load_weights(model: nn.Module, folder: Path) -> LoadCount:
    """Fill the sharded parameters and the persistent buffers of a model.

    Args:
        model: A model after `fully_shard` and `to_empty`.
        folder: Hugging Face folder with model.safetensors, or several files and an index.

    Raises:
        ConfigError: A file or a weight is missing, or a shape differs.
    """
    places = _places(folder)
    wanted = _wanted(model)
    prefix = f"{getattr(model, 'base_model_prefix', '')}."
    by_file: dict[str, list[tuple[str, torch.Tensor]]] = defaultdict(list)
    missing = []
    for names, tensor in wanted:
        stored = next((name for name in _spellings(names, prefix) if name in places), None)
        if stored is None:
            missing.append(names[0])
        else:
            by_file[places[stored]].append((stored, tensor))
    if missing:
        shown = ", ".join(missing[:_NAMES_SHOWN]) + (", ..." if len(missing) > _NAMES_SHOWN else "")
        raise ConfigError(
            f"{folder} has no weights for {len(missing)} tensors of the model: {shown}. A model whose weights "
            "transformers renames or merges while it loads (most mixtures of experts) is not supported"
        )
    count = LoadCount()
    for file, entries in sorted(by_file.items()):
        with _open(folder / file) as stored_file, torch.no_grad():
            for stored, tensor in entries:
                count.add(_fill(tensor, stored_file, stored))
    return count


def _wanted(model: nn.Module) -> list[tuple[list[str], torch.Tensor]]:
    """Return each tensor that a file must give, once, with all its names (tied weights have several)."""
    names: dict[int, list[str]] = defaultdict(list)
    tensors: dict[int, torch.Tensor] = {}
    stored = model.state_dict(keep_vars=True)
    for name, tensor in [*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)]:
        # a buffer outside the state dict is not persistent: no file has it
        if isinstance(tensor, nn.Parameter) or name in stored:
            names[id(tensor)].append(name)
            tensors[id(tensor)] = tensor
    return [(names[key], tensor) for key, tensor in tensors.items()]


def _spellings(names: list[str], prefix: str) -> list[str]:
    """Return the names under which a file may have a tensor: base models lack the head's prefix."""
    return names + [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def _places(folder: Path) -> dict[str, str]:
    """Return which file of the folder has which tensor."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            places = dict(json.loads(index.read_text(encoding="utf-8"))["weight_map"])
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{index} is not an index of safetensors files: {error!r}") from error
        for file in set(places.values()):
            # the index is data: it must not lead out of the folder
            if Path(file).name != file or not (folder / file).is_file():
                raise ConfigError(f"{index} names {file!r}, which is not a file of {folder}")
        return places
    single = folder / "model.safetensors"
    if not single.is_file():
        raise ConfigError(f"{folder} has neither model.safetensors nor model.safetensors.index.json")
    with _open(single) as stored_file:
        return dict.fromkeys(stored_file.keys(), single.name)


def _open(path: Path) -> Any:
    try:
        return safe_open(path, framework="pt", device="cpu")
    except (SafetensorError, OSError) as error:
        raise ConfigError(f"{path} is not a readable safetensors file: {error}") from error


def _fill(tensor: torch.Tensor, stored_file: Any, stored: str) -> torch.Tensor:
    """Copy this rank's rows of a stored tensor into place and return what was read."""
    piece = stored_file.get_slice(stored)
    shape = tuple(piece.get_shape())
    if shape != tuple(tensor.shape):
        raise ConfigError(f"{stored} has shape {shape}, the model's configuration asks for {tuple(tensor.shape)}")
    if not isinstance(tensor, DTensor):
        whole: torch.Tensor = piece[:] if shape else stored_file.get_tensor(stored)
        tensor.copy_(whole)
        return whole
    local = tensor.to_local()
    axis = next(index for index, placement in enumerate(tensor.placements) if placement == Shard(0))
    mesh = tensor.device_mesh
    first, last = shard_rows(tensor.shape[0], mesh.size(axis), mesh.get_local_rank(axis))
    assert local.shape[0] == last - first, f"{stored}: shard of {local.shape[0]} rows, expected {last - first}"
    if last == first:
        return torch.empty(0)
    rows: torch.Tensor = piece[first:last]
    local.copy_(rows)
    return rows


def shard_rows(rows: int, ranks: int, place: int) -> tuple[int, int]:
    """Return the first row of a shard and the one after its last.

    FSDP2 cuts dimension 0 as `torch.chunk` does: equal pieces, rounded up, so that the
    last ranks may have fewer rows or none.

    Args:
        rows: Rows of the whole tensor.
        ranks: Ranks that share it.
        place: This rank's place among them, from 0.
    """
    piece = -(-rows // ranks)
    return min(rows, place * piece), min(rows, (place + 1) * piece)
