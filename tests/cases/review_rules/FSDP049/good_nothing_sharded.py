import torch
import torch.distributed as dist

from model import Net


def main(batches):
    dist.init_process_group("nccl")
    net = torch.compile(Net().cuda())
    for batch in batches:
        net(batch).sum().backward()
        for parameter in net.parameters():
            dist.all_reduce(parameter.grad, op=dist.ReduceOp.AVG)
    if dist.get_rank() == 0:
        torch.save({"model": net.state_dict()}, "last.pt")
