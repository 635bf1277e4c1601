import torch
from accelerate import Accelerator
from fairscale.nn import FullyShardedDataParallel as FSDP
from megatron_fsdp import fully_shard


def megatron(model, mesh):
    optimizer = torch.optim.AdamW(model.parameters())
    return fully_shard(module=model, optimizer=optimizer, device_mesh=mesh)


def accelerated(model, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    return model, optimizer


def fairscale(model):
    optimizer = torch.optim.AdamW(model.parameters())
    return FSDP(model, flatten_parameters=False), optimizer
