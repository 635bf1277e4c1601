import sys

import torch
import torch.distributed as dist
from torch.distributed.checkpoint import FileSystemReader, load
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from model import Net

dist.init_process_group(backend="gloo", rank=0, world_size=1)
net = FSDP(Net().to(torch.bfloat16), use_orig_params=True)
state = net.state_dict()
load(state, storage_reader=FileSystemReader(sys.argv[1]))
net.load_state_dict(state)
net.module.to("cuda")
dist.destroy_process_group()
