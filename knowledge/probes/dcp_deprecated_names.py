"""The old names of distributed checkpointing are still there in 2.13 and warn."""

import importlib
import warnings

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def _said(call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    return {(warning.category.__name__, str(warning.message)[:34]) for warning in said}


def probe(rank, world_size):
    """Call each old name and list its warnings."""
    state = Net().state_dict()
    saved = _said(lambda: dcp.save_state_dict(state, dcp.FileSystemWriter("ckpt")))
    assert any(kind == "FutureWarning" and "save_state_dict" in text for kind, text in saved), saved
    loaded = _said(lambda: dcp.load_state_dict(state, dcp.FileSystemReader("ckpt")))
    assert any(kind == "FutureWarning" and "load_state_dict" in text for kind, text in loaded), loaded
    moved = _said(lambda: importlib.import_module("torch.distributed._shard.checkpoint"))
    assert any(kind == "DeprecationWarning" for kind, _ in moved), moved
    net = FSDP(Net(), device_id=torch.device("cpu"))
    optimizer = torch.optim.AdamW(net.parameters())
    full = _said(lambda: FSDP.full_optim_state_dict(net, optimizer))
    assert any(kind == "FutureWarning" for kind, _ in full), full
    return {
        "save_state_dict, load_state_dict, full_optim_state_dict": "FutureWarning",
        "_shard.checkpoint": "DeprecationWarning",
    }
