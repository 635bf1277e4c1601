import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def main(m):
    dist.init_process_group("nccl")  # <- LN410
    for b in m.blocks:
        fully_shard(b)
    fully_shard(m)
if __name__ == "__main__":
    from model import build
    main(build())
