import torch
from model import Net
from torch.distributed.checkpoint import state_dict as sd
from torch.distributed.fsdp import fully_shard


def build(dim):
    with torch.device("meta"):
        return Net(dim)


def main(state):
    net = build(8)
    fully_shard(net)
    net.to_empty(device="cuda")  # <- FSDP102
    sd.set_model_state_dict(net, state)
