import torch.distributed as dist

from meters import Mean, summed


def report(values):
    if dist.get_rank() != 0:  # <- FSDP040
        return
    mean = Mean()
    print(mean.compute())


def report_sum(value):
    if dist.get_rank() == 0:  # <- FSDP040
        print(summed(value))
