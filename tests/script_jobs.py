"""Training scripts as users write them, small enough for two CPU ranks."""

FSDP2_EXAMPLE = '''\
"""An FSDP2 training loop in the manner of the official examples."""
import os, sys
import torch
import torch.distributed as dist
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
{imports}

torch.manual_seed(0)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
model = torch.nn.Sequential(*[torch.nn.Linear(32, 32) for _ in range(3)])
for layer in model:
    fully_shard(layer)
fully_shard(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
steps, pause = int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
generator = torch.Generator().manual_seed(rank)
for step in range(1, steps + 1):
    x = torch.randn(8, 32, generator=generator)
    loss = (model(x) - x).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    mean = loss.detach().clone()
    dist.all_reduce(mean, op=dist.ReduceOp.SUM)
    mean = mean.item() / world
    {beat}
    if rank == 0:
        print(f"step {{step}} loss {{mean!r}}", flush=True)
    if pause:
        import time
        time.sleep(pause)
dist.destroy_process_group()
'''

ACCELERATE_EXAMPLE = """\
import sys
import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedType, FullyShardedDataParallelPlugin, set_seed
from torch.distributed.fsdp import FSDPModule
import fsdp_heartbeat

plugin = FullyShardedDataParallelPlugin()  # as the launcher was told, through the environment
assert plugin.fsdp_version == 2
accelerator = Accelerator(cpu=True)
# by itself accelerate takes FSDP for accelerators only
accelerator.state.distributed_type = PartialState().distributed_type = DistributedType.FSDP
accelerator.state.fsdp_plugin = plugin
set_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(2)])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
model, optimizer = accelerator.prepare(model, optimizer)
assert isinstance(model, FSDPModule)
for step in range(1, int(sys.argv[1]) + 1):
    x = torch.randn(4, 16)
    loss = (model(x) - x).square().mean()
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    fsdp_heartbeat.beat(step, loss=loss.item())
    accelerator.print("step", step, "of", accelerator.num_processes, "ranks", flush=True)
accelerator.end_training()
"""
