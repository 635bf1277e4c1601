from torch import nn
from torch.distributed.fsdp import fully_shard


class Lm(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.out = nn.Linear(dim, vocab, bias=False)
        self._tie()

    def _tie(self):
        self.tok.weight = self.out.weight


def main(mesh):
    lm = Lm(100, 16)
    for part in (lm.tok, lm):
        fully_shard(part, mesh=mesh)  # <- FSDP008
