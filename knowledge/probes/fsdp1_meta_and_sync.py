"""FSDP1: what it asks of a module on meta, and of sync_module_states."""

import warnings

import torch
from _lab import Net, raises
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Own(nn.Module):
    """A module with a parameter and without reset_parameters."""

    def __init__(self):
        """Make the parameter."""
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        """Scale."""
        return x * self.scale


def _meta(kind):
    with torch.device("meta"):
        return kind()


def _fill(module):
    module.to_empty(device="cpu", recurse=False)
    for parameter in module.parameters(recurse=False):
        nn.init.constant_(parameter, 3.0)


def probe(rank, world_size):
    """Wrap modules on meta with and without what they need; then ask for a sync on CPU."""
    cpu = torch.device("cpu")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        raises(AttributeError, "reset_parameters", lambda: FSDP(_meta(Own), device_id=cpu))
    assert any("implements a `reset_parameters()` method" in str(warning.message) for warning in said)
    FSDP(_meta(lambda: nn.Linear(8, 8)), device_id=cpu)  # Linear has reset_parameters
    net = FSDP(_meta(Own), device_id=cpu, param_init_fn=_fill)
    with FSDP.summon_full_params(net):
        assert bool((net.module.scale == 3).all())
    text = "The module has CPU parameters or buffers when `sync_module_states=True`"
    raises(ValueError, text, lambda: FSDP(Net(), sync_module_states=True, device_id=cpu))
    return {
        "no reset_parameters": "AttributeError",
        "param_init_fn": "wraps",
        "sync_module_states on CPU": "ValueError",
    }
