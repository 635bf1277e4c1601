import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from model import Net

dist.init_process_group(backend="gloo", rank=0, world_size=1)
net = Net()
net.load_state_dict(torch.load(sys.argv[1], map_location="cuda"))
sharded = FSDP(net, use_orig_params=True)
torch.save(sharded.state_dict(), sys.argv[2])
dist.destroy_process_group()
