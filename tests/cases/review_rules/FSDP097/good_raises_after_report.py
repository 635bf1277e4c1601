import torch
from torch.distributed.fsdp import fully_shard


def fit(net, loader, log):
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net)
    optimizer = torch.optim.AdamW(net.parameters())
    for batch in loader:
        try:
            loss = net(batch).mean()
        except RuntimeError as err:
            if "out of memory" in str(err):
                log.error("out of memory")
                torch.cuda.empty_cache()
            raise
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
