import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def wrap_all(blocks, **options):
    for block in blocks:
        fully_shard(block, **options)


class Setup:
    def __init__(self, mesh):
        self.common = {"mesh": mesh}
        self.policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)

    def shard(self, model):
        wrap_all(model.blocks, **self.common)  # <- FSDP065

        # the head is sensitive
        # and so is the embedding
        fully_shard(model, mp_policy=self.policy, **self.common)
        return torch.optim.AdamW(model.parameters(), lr=1e-4)
