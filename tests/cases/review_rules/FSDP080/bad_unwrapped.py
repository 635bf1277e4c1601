import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def bare(net):
    while hasattr(net, "module"):
        net = net.module
    return net


def inner(net):
    return net.module if isinstance(net, FSDP) else net


class Distiller:
    def __init__(self, student, teacher, wrap):
        self.student = FSDP(student, auto_wrap_policy=wrap)
        self.teacher = FSDP(teacher, auto_wrap_policy=wrap)

    def loss(self, x):
        with torch.no_grad():
            soft = inner(self.teacher)(x)  # <- FSDP080
        return torch.nn.functional.mse_loss(self.student(x), soft)
