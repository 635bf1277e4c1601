from torch import nn
from torch.distributed.fsdp import fully_shard


class Lm(nn.Module):
    def __init__(self, vocab, dim, tied):
        super().__init__()
        self.tied = tied
        self.tok = nn.Embedding(vocab, dim)
        self.out = nn.Linear(dim, vocab, bias=False)
        if tied:
            self.out.weight = self.tok.weight


def shard(lm: Lm):
    if not lm.tied:
        fully_shard(lm.tok)
        fully_shard(lm.out)
    fully_shard(lm)
