"""Tied weights: to_empty keeps the tie under FSDP2, the state dict has both names, files often have one."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict
from torch.distributed.fsdp import fully_shard


class Tied(nn.Module):
    """Embedding and head with one weight."""

    def __init__(self):
        """Make and tie."""
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.head = nn.Linear(4, 8, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        """Map ids to logits."""
        return self.head(self.embed(ids))


def probe(rank, world_size):
    """Materialise from meta, list the names, load a file with one name in both ways."""
    with torch.device("meta"):
        plain, net = Tied(), Tied()
    plain.to_empty(device="cpu")
    assert plain.head.weight is not plain.embed.weight, "a plain module is untied by to_empty"
    fully_shard([net.embed, net.head])
    fully_shard(net)
    net.to_empty(device="cpu")
    assert net.head.weight is net.embed.weight
    full = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True))
    assert sorted(full) == ["embed.weight", "head.weight"]
    file = {"embed.weight": torch.full((8, 4), 2.0)}
    sent = dict(file) if rank == 0 else {}
    broadcast = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    message = raises(RuntimeError, "Missing key(s)", lambda: set_model_state_dict(net, sent, options=broadcast))
    assert "head.weight" in message
    loose = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, strict=False)
    set_model_state_dict(net, dict(file) if rank == 0 else {}, options=loose)
    assert bool((net.head.weight.full_tensor() == 2).all())
    assert net.head.weight is net.embed.weight
    return {
        "to_empty, plain module": "untied",
        "to_empty, one FSDP2 group": "tied",
        "strict load of one name": "Missing key head.weight",
        "strict=False": "both have the values",
    }
