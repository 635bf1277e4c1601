import torch
from torch.distributed.fsdp import fully_shard


def log(writer, name, parameter):
    writer.add(name, torch.linalg.vector_norm(parameter.detach()).item())  # <- FSDP072


class Run:
    def __init__(self, net, writer):
        self.net = fully_shard(net)
        self.writer = writer

    def norms(self):
        for name, parameter in self.net.named_parameters():
            log(self.writer, name, parameter)
