"""After a forward the root stays unsharded: a step or an edit of the shards is not seen by the next forward."""

import torch
from _lab import Net, batch, shard
from torch.distributed.fsdp import FSDPModule
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.tensor import DTensor


def _losses(rank, between, wrap=shard):
    torch.manual_seed(0)
    net = wrap(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(batch(rank)).square().mean().backward()
    between(net)
    optimizer.step()
    with torch.no_grad():
        return float(net(batch(rank)).square().mean())


def _nothing(_):
    pass


def _evaluate(rank, reshard):
    def between(net):
        with torch.no_grad():
            net(batch(rank))
        if reshard:
            for module in net.modules():
                if isinstance(module, FSDPModule):
                    module.reshard()

    return between


def _fsdp1(net):
    return FSDP(net, device_id=torch.device("cpu"), use_orig_params=True)


def probe(rank, world_size):
    """Evaluate between backward and step; then edit parameters after an evaluation."""
    right = _losses(rank, _nothing)
    assert abs(_losses(rank, _evaluate(rank, reshard=False)) - right) > 1e-4, "the root was stale"
    assert abs(_losses(rank, _evaluate(rank, reshard=True)) - right) < 1e-6
    always = lambda net: shard(net, reshard_after_forward=True)  # noqa: E731
    assert abs(_losses(rank, _evaluate(rank, reshard=False), always) - right) < 1e-6
    stale_fsdp1 = abs(_losses(rank, _evaluate(rank, reshard=False), _fsdp1) - _losses(rank, _nothing, _fsdp1))
    assert stale_fsdp1 > 1e-4
    net = shard(Net())
    with torch.no_grad():
        net(batch(rank))
        assert not isinstance(net.head.weight, DTensor)
        assert net.head.weight.shape == (8, 8)
        net.head.weight.fill_(3)
    net.reshard()
    assert isinstance(net.head.weight, DTensor)
    assert not bool((net.head.weight.to_local() == 3).any()), "the edit went into the temporary copy"
    with torch.no_grad():
        net(batch(rank))
    state = net.state_dict()
    assert isinstance(state["head.weight"], DTensor), "state_dict() reshards first"
    return {"eval before step": "stale loss", "with reshard()": "right", "FSDP1": "stale too", "edit": "lost"}
