from torch import nn
from torch.distributed.fsdp import fully_shard


class Lm(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.out = nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.tok.weight


def grouped(lm: Lm):
    fully_shard([lm.tok, lm.out])
    fully_shard(lm)


def in_root(lm: Lm):
    fully_shard(lm)
