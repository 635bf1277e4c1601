import torch
import torch.distributed as dist
from torch.utils.data import BatchSampler, DataLoader, RandomSampler
from torch.distributed.fsdp import fully_shard
from torchvision.datasets import ImageFolder


class Task:
    def __init__(self, root, bs):
        self.data = ImageFolder(root)
        self.bs = bs

    def loader(self):
        batches = BatchSampler(RandomSampler(self.data), batch_size=self.bs, drop_last=True)
        return DataLoader(self.data, batch_sampler=batches, num_workers=8)  # <- FSDP092


def main(net, root):
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_node_local_rank())
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters())
    for x, y in Task(root, 32).loader():
        torch.nn.functional.cross_entropy(net(x.cuda()), y.cuda()).backward()
        opt.step()
        opt.zero_grad()
