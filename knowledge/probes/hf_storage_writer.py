"""DCP writes Hugging Face safetensors: one file for each rank, and consolidated ones; the reader takes both."""

import json
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, shard
from torch.distributed.checkpoint import HuggingFaceStorageReader, HuggingFaceStorageWriter

REQUIRES = ("safetensors",)


def _load(path):
    from safetensors.torch import load_file

    return load_file(path)


def probe(rank, world_size):
    """Save in both ways; read the consolidated file as a plain one and into another sharded net."""
    net = shard(Net())
    names = list(net.state_dict())
    files = {name: 1 if name.startswith("blocks.0") else 2 for name in names}
    weight = net.head.weight.full_tensor()
    whole = HuggingFaceStorageWriter(
        "whole", fqn_to_index_mapping=files, save_distributed=True, enable_consolidation=True
    )
    dcp.save(net.state_dict(), storage_writer=whole)
    dcp.save(net.state_dict(), storage_writer=HuggingFaceStorageWriter("parts", save_distributed=True))
    dist.barrier()
    expected = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"]
    found = sorted(path.name for path in Path("whole").iterdir() if path.is_file())
    assert found == expected, found
    assert len(list(Path("whole/sharded").iterdir())) == 4
    with open("whole/model.safetensors.index.json") as file:
        assert json.load(file)["weight_map"]["head.weight"] == expected[1]
    assert torch.equal(_load(f"whole/{expected[1]}")["head.weight"], weight)
    parts = sorted(path.name for path in Path("parts").iterdir())
    assert parts == ["shard-00001-model-00001-of-00001.safetensors", "shard-00002-model-00001-of-00001.safetensors"]
    assert _load(f"parts/{parts[0]}")["head.weight"].shape == (4, 8)
    torch.manual_seed(9)
    for folder in ("whole", "parts"):
        other = shard(Net())
        dcp.load(other.state_dict(), storage_reader=HuggingFaceStorageReader(folder))
        assert torch.equal(other.head.weight.full_tensor(), weight), folder
    half = shard(Net().to(torch.bfloat16))
    dcp.load(half.state_dict(), storage_reader=HuggingFaceStorageReader("whole"))
    assert torch.equal(half.head.weight.full_tensor(), weight.bfloat16())
    return {"consolidated": found, "save_distributed only": parts}
