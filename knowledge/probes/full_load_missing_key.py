"""A key missing from a full state dict: silent when every rank holds it, an error with the broadcast."""

import torch
from _lab import Net, raises, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict


def probe(rank, world_size):
    """Drop head.weight from the file and load strictly, in both ways."""
    torch.manual_seed(5)
    state = Net().state_dict()
    del state["head.weight"]
    torch.manual_seed(0)
    net = shard(Net())
    before = net.head.weight.full_tensor()
    result = set_model_state_dict(net, dict(state), options=StateDictOptions(full_state_dict=True, strict=True))
    assert not result.missing_keys, result
    assert torch.equal(net.head.weight.full_tensor(), before), "the missing weight keeps its old values"
    assert torch.equal(net.inp.weight.full_tensor(), state["inp.weight"])
    sent = dict(state) if rank == 0 else {}
    broadcast = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    message = raises(RuntimeError, "Missing key(s)", lambda: set_model_state_dict(net, sent, options=broadcast))
    assert '"head.weight"' in message
    return {"full_state_dict=True, strict=True": "no error, old values", "with broadcast_from_rank0": "Missing key(s)"}
