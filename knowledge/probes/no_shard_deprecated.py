"""NO_SHARD warns, shards nothing, and trains as DDP does."""

import warnings

import torch
from _lab import Net, batch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.nn.parallel import DistributedDataParallel


def probe(rank, world_size):
    """Wrap with FULL_SHARD and with NO_SHARD; compare the warning, the sizes, and a gradient with DDP's."""
    cpu = torch.device("cpu")
    total = sum(p.numel() for p in Net().parameters())
    sizes, texts = {}, {}
    for strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.NO_SHARD):
        torch.manual_seed(0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = FSDP(Net(), device_id=cpu, sharding_strategy=strategy)
        texts[strategy.name] = [str(w.message) for w in caught if issubclass(w.category, FutureWarning)]
        sizes[strategy.name] = sum(p.numel() for p in model.parameters())
    assert texts["FULL_SHARD"] == [], texts
    assert any("`NO_SHARD`" in t for t in texts["NO_SHARD"]), texts
    assert sizes["NO_SHARD"] >= total > sizes["FULL_SHARD"], (sizes, total)
    torch.manual_seed(0)
    ddp = DistributedDataParallel(Net())
    for net in (model, ddp):
        net(batch(rank)).square().mean().backward()
    flat = next(model.parameters()).grad.flatten()
    for grad in (p.grad for p in ddp.parameters()):
        part, flat = flat[: grad.numel()], flat[grad.numel() :]
        torch.testing.assert_close(part, grad.flatten())
    return {"NO_SHARD": texts["NO_SHARD"][0][:60], "FULL_SHARD": "no warning"}
