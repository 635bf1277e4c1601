import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from model import Net


def get_rank():
    return dist.get_rank()


def told(text):
    if get_rank() == 0:
        print(text)


def build(path):
    told("step 0 of the set-up")
    told("step 1 of the set-up")
    told("step 2 of the set-up")
    told("step 3 of the set-up")
    told("step 4 of the set-up")
    told("step 5 of the set-up")
    told("step 6 of the set-up")
    told("step 7 of the set-up")
    told("step 8 of the set-up")
    told("step 9 of the set-up")
    net = Net()
    if get_rank() == 0:
        net.load_state_dict(torch.load(path))
    return FSDP(net, sync_module_states=True, device_id=torch.cuda.current_device())
