from torch import nn
from torch.distributed.fsdp import fully_shard


class Lm(nn.Module):
    def __init__(self, vocab=100, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.body = nn.Linear(width, width)
        self.head = nn.Linear(width, vocab, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.body(self.embed(ids)))


def shard(lm):
    for module in lm.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            setattr(module, name, nn.Parameter(parameter.detach().float()))
    fully_shard(lm.embed)
    fully_shard(lm.head)
    fully_shard(lm)
    lm.head.weight = lm.embed.weight
    return lm


shard(Lm())
