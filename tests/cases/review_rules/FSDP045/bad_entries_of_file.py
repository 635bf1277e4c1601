import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_optimizer_state_dict, set_model_state_dict
from torch.distributed.fsdp import fully_shard

OPTS = StateDictOptions(full_state_dict=True, cpu_offload=True)


class Resume:
    def __init__(self, path):
        self.blob = torch.load(path, map_location="cpu", mmap=True) if dist.get_rank() == 0 else {"model": {}, "optim": {}}

    def into(self, net, opt):
        set_model_state_dict(net, self.blob["model"], options=OPTS)  # <- FSDP045
        set_optimizer_state_dict(net, opt, self.blob["optim"], options=OPTS)  # <- FSDP045


def main(net):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters())
    Resume("x.pt").into(net, opt)
