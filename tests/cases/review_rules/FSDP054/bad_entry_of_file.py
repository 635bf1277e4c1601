import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.fsdp import fully_shard


def restore(net, path):
    blob = torch.load(path)  # <- FSDP054
    set_model_state_dict(net, blob["model"], options=StateDictOptions(full_state_dict=True))


def main(net):
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_node_local_rank())
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    restore(net, "/ckpt/big.pt")
