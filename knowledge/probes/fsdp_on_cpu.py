"""fully_shard and FSDP1 on CPU ranks with gloo: step, clipping, state dict, DCP; what gloo lacks."""

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import FullyShardedDataParallel


def probe(rank, world_size):
    """Train one step each, save and load, and ask gloo for a pre-multiplied sum."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(batch(rank)).pow(2).sum().backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    dcp.save({"model": get_model_state_dict(net)}, checkpoint_id="step-1")
    before = net.head.weight.to_local().clone()
    with torch.no_grad():
        net.head.weight.to_local().zero_()
    state = {"model": get_model_state_dict(net)}
    dcp.load(state, checkpoint_id="step-1")
    assert torch.equal(net.head.weight.to_local(), before)
    old = FullyShardedDataParallel(Net(), device_id=torch.device("cpu"))
    old(batch(rank)).sum().backward()
    old.clip_grad_norm_(1.0)
    scaled = dist._make_nccl_premul_sum(0.5)
    output, values = torch.empty(4), torch.ones(4 * world_size)
    refusal = raises(RuntimeError, "", lambda: dist.reduce_scatter_tensor(output, values, op=scaled))
    return {"FSDP2 and FSDP1 on gloo": "forward, backward, clip, step, DCP", "PREMUL_SUM": refusal[:120]}
