"""torch.compile on FSDP1: flat parameters break the graph, use_orig_params=True does not; both train."""

import torch
from _lab import Block, Net, batch, raises
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


def _compiled(use_orig_params, fullgraph=False):
    torch._dynamo.reset()
    torch.manual_seed(0)
    count = []

    def backend(graph, inputs):
        count.append(graph)
        return graph.forward

    policy = ModuleWrapPolicy({Block})
    net = FSDP(Net(), auto_wrap_policy=policy, device_id=torch.device("cpu"), use_orig_params=use_orig_params)
    return torch.compile(net, backend=backend, fullgraph=fullgraph), count


def _train(rank, use_orig_params):
    net, count = _compiled(use_orig_params)
    loss = net(batch(rank)).square().sum()
    loss.backward()
    return float(loss), len(count)


def probe(rank, world_size):
    """Train one step each way."""
    flat, flat_graphs = _train(rank, use_orig_params=False)
    orig, orig_graphs = _train(rank, use_orig_params=True)
    assert abs(flat - orig) < 1e-4 * abs(orig), (flat, orig)
    net, _ = _compiled(use_orig_params=False, fullgraph=True)
    assert (flat_graphs, orig_graphs) == (0, 1), (flat_graphs, orig_graphs)
    # which of its graph breaks is met first depends on the release
    message = raises(Exception, "graph break", lambda: net(batch(rank)))
    return {"graphs, flat": flat_graphs, "graphs, original": orig_graphs, "fullgraph": "fails" if message else ""}
