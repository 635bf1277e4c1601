"""What dcp.load does with missing and extra keys, other shapes, other dtypes and an empty dict."""

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, raises, shard
from torch.distributed.checkpoint import CheckpointException, DefaultLoadPlanner


def probe(rank, world_size):
    """Save a net and a number, then ask in several ways."""
    net = shard(Net())
    dcp.save({"model": net.state_dict(), "step": 7}, checkpoint_id="ckpt")
    saved = net.head.weight.full_tensor()
    torch.manual_seed(9)
    bigger = Net()
    bigger.extra = torch.nn.Linear(4, 4)
    shard(bigger)
    before = bigger.extra.weight.full_tensor()

    def load(state, **options):
        dcp.load(state, checkpoint_id="ckpt", **options)

    target = {"model": bigger.state_dict()}
    missing = "Missing key in checkpoint state_dict: model.extra.weight"
    raises(CheckpointException, missing, lambda: load(target))
    assert not issubclass(CheckpointException, Exception)
    partial = DefaultLoadPlanner(allow_partial_load=True)
    load(target, planner=partial)
    assert torch.equal(bigger.head.weight.full_tensor(), saved), "in place: no load_state_dict was called"
    assert torch.equal(bigger.extra.weight.full_tensor(), before)
    wide = shard(Net(width=16))
    wide_target = {"model": {"head.weight": wide.state_dict()["head.weight"]}}
    planner = DefaultLoadPlanner(allow_partial_load=True)
    raises(CheckpointException, "Size mismatch", lambda: load(wide_target, planner=planner))
    half = shard(Net().to(torch.bfloat16))
    load({"model": half.state_dict()})
    assert half.head.weight.dtype == torch.bfloat16
    assert torch.equal(half.head.weight.full_tensor(), saved.to(torch.bfloat16))
    nothing = {}
    load(nothing)
    assert nothing == {}
    numbers = {"step": 0}
    load(numbers)
    assert numbers["step"] == 7
    return {
        "missing key": missing,
        "allow_partial_load": "missing ones keep their values",
        "other shape": "Size mismatch, also with allow_partial_load",
        "bfloat16 target": "cast",
        "extra keys, empty dict": "ignored",
    }
