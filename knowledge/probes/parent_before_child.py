"""fully_shard on the parent before the child fails; children first works."""

from _lab import Net, batch, shard
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

_MESSAGES = ("value was None", "overlapping", "named DeviceMesh dims", "Invalid mesh_dim_names")


def _refused(call):
    try:
        call()
    except (TypeError, RuntimeError, AssertionError, KeyError) as error:
        assert any(text in str(error) for text in _MESSAGES), error
        return f"{type(error).__name__}: {error}"[:80]
    raise AssertionError("the child was sharded after its parent")


def probe(rank, world_size):
    """Shard the root first and then a block, without and with a named mesh; then bottom-up."""
    net = fully_shard(Net())
    unnamed = _refused(lambda: fully_shard(net.blocks[0]))
    mesh = init_device_mesh("cpu", (world_size,), mesh_dim_names=("dp",))
    net = fully_shard(Net(), mesh=mesh)
    named = _refused(lambda: fully_shard(net.blocks[0], mesh=mesh))
    shard(Net())(batch(rank)).sum().backward()
    return {"unnamed mesh": unnamed, "named mesh": named, "bottom-up": "trains"}
