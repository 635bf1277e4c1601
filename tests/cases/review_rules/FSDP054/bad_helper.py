from torch import load
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def restore(net, path):
    state = load(path)  # <- FSDP054
    net.load_state_dict(state)
    return net


def main(net, policy, path):
    return FSDP(restore(net, path), auto_wrap_policy=policy)
