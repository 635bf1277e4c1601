"""What save_state writes under SHARDED and FULL state dicts, merging, and get_state_dict on rank 0."""

from pathlib import Path

import torch
from _lab import Net, batch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedType, FullyShardedDataParallelPlugin, merge_fsdp_weights
from safetensors.torch import load_file

REQUIRES = ("accelerate", "safetensors")
TIMEOUT_S = 120


def probe(rank, world_size):
    """Train a step, save in both formats, merge the sharded one, load the state back."""
    plugin = FullyShardedDataParallelPlugin(
        fsdp_version=2,
        auto_wrap_policy="TRANSFORMER_BASED_WRAP",
        transformer_cls_names_to_wrap=["Block"],
    )
    accelerator = Accelerator(cpu=True, fsdp_plugin=plugin)
    accelerator.state.distributed_type = PartialState().distributed_type = DistributedType.FSDP
    accelerator.state.fsdp_plugin = plugin
    net = Net()
    net, optimizer = accelerator.prepare(net, torch.optim.AdamW(net.parameters(), lr=0.1))
    accelerator.backward(net(batch(rank)).square().mean())
    optimizer.step()
    seen = {}

    accelerator.save_state("sharded")
    accelerator.wait_for_everyone()
    files = sorted(p.name for p in Path("sharded").iterdir())
    assert {"pytorch_model_fsdp_0", "optimizer_0"} <= set(files), files
    assert not any(name.endswith((".bin", ".safetensors")) for name in files), files
    parts = sorted(p.name for p in Path("sharded/pytorch_model_fsdp_0").iterdir())
    assert parts == [".metadata", "__0_0.distcp", "__1_0.distcp"], parts
    seen["sharded"] = ["optimizer_0", "pytorch_model_fsdp_0"]

    full = accelerator.get_state_dict(net)
    want = {k: v.full_tensor() for k, v in net.state_dict().items()}
    assert (len(full) == len(want)) if rank == 0 else (full == {}), len(full)
    merge_fsdp_weights("sharded/pytorch_model_fsdp_0", "merged")
    accelerator.wait_for_everyone()
    merged = load_file("merged/model.safetensors")
    assert merged.keys() == want.keys()
    assert all(torch.equal(merged[k], want[k]) for k in want)
    seen["get_state_dict, rank 1"] = "empty"

    with torch.no_grad():
        for p in net.parameters():
            p.zero_()
    accelerator.load_state("sharded")
    assert all(torch.equal(v.full_tensor(), want[k]) for k, v in net.state_dict().items())

    plugin.set_state_dict_type("FULL_STATE_DICT")
    plugin.state_dict_config = plugin.optim_state_dict_config = None
    plugin.set_state_dict_type("FULL_STATE_DICT")
    accelerator.save_state("full")
    accelerator.wait_for_everyone()
    files = {p.name for p in Path("full").iterdir()}
    assert {"pytorch_model_fsdp.bin", "optimizer.bin"} <= files, files
    loaded = torch.load("full/pytorch_model_fsdp.bin", weights_only=True)
    assert all(torch.equal(loaded[k], want[k]) for k in want)
    seen["full"] = ["optimizer.bin", "pytorch_model_fsdp.bin"]
    return seen
