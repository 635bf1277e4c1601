"""Writes a sharded checkpoint as one file, in one process."""

import sys

import torch
import torch.distributed as dist
from torch.distributed.checkpoint import FileSystemReader, load
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard

from model import Net

dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29500", rank=0, world_size=1)
net = Net()
fully_shard(net)
load({"model": net.state_dict()}, storage_reader=FileSystemReader(sys.argv[1]))
torch.save(get_model_state_dict(net, options=StateDictOptions(full_state_dict=True)), sys.argv[2])
