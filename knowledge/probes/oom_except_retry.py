"""After an exception in forward, FSDP2's state stays open; reset_iter_state on the root closes it."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.tensor import DTensor


class Failing(Net):
    """Raises between two blocks when told to."""

    def forward(self, x, fail=False):
        """Run the blocks."""
        x = self.inp(x)
        for index, block in enumerate(self.blocks):
            x = block(x)
            if fail and index == 0:
                raise MemoryError("out of memory")
        return self.head(x)


def _open(net):
    """Tell whether the iteration is still open and the root's weights are still gathered."""
    state = net._get_fsdp_state()
    gathered = not isinstance(net.inp.weight, DTensor)
    return [state._state_ctx.iter_forward_root is not None, state._training_state.name, gathered]


def probe(rank, world_size):
    """Fail on both ranks, look, reset where that exists, and compare the next gradients."""
    net = shard(Failing())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(batch(rank)).pow(2).mean().backward()
    reference = [parameter.grad.full_tensor() for parameter in net.parameters()]
    optimizer.zero_grad()
    raises(MemoryError, "out of memory", lambda: net(batch(rank), fail=True))
    assert _open(net) == [True, "FORWARD", True], _open(net)
    observed = {"after the exception": "forward still open, root weights still gathered"}
    if hasattr(net, "reset_iter_state"):
        raises(RuntimeError, "root", net.blocks[0].reset_iter_state)
        net.reset_iter_state()
        assert _open(net) == [False, "IDLE", False], _open(net)
        net(batch(rank)).pow(2).mean().backward()
        for left, parameter in zip(reference, net.parameters(), strict=True):
            torch.testing.assert_close(left, parameter.grad.full_tensor())
        observed["reset_iter_state()"] = "closed, the next gradients are right"
    return observed
