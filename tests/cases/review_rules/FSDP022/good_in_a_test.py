import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

from model import Net


def test_two_ranks_agree():
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    net = Net().cuda()
    fully_shard(net)
    net(torch.ones(1, 4, device="cuda")).sum().backward()


if __name__ == "__main__":
    test_two_ranks_agree()
