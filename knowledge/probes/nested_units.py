"""Which parameters belong to which group when units are nested, and how many all-gathers a forward takes."""

from _lab import Net, batch
from torch.distributed.fsdp import FSDPModule, fully_shard


def probe(rank, world_size):
    """Shard a layer inside a block, the blocks, and the root; count the parameters of each group."""
    net = Net()
    fully_shard(net.blocks[0].up)
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net)
    sizes = {
        name or "root": len(module._get_fsdp_state()._fsdp_param_group.fsdp_params)
        for name, module in net.named_modules()
        if isinstance(module, FSDPModule)
    }
    assert sizes == {"root": 4, "blocks.0": 2, "blocks.0.up": 2, "blocks.1": 4}, sizes
    net(batch(rank)).sum().backward()
    empty = Net()
    for child in empty.children():
        for module in [child] if child is not empty.blocks else list(child):
            fully_shard(module)
    fully_shard(empty)
    assert empty._get_fsdp_state()._fsdp_param_group is None
    empty(batch(rank)).sum().backward()
    return {"parameters of the groups": sizes, "root without parameters of its own": "trains"}
