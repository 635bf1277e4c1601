"""set_optimizer_state_dict refuses a state dict without state for a trainable parameter, unless strict=False."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)


def probe(rank, world_size):
    """Remove one entry and load strictly and not strictly."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(batch(rank)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    saved = get_optimizer_state_dict(net, optimizer)
    del saved["state"]["head.weight"]
    fresh = torch.optim.AdamW(net.parameters(), lr=0.1)
    message = raises(RuntimeError, "head.weight", lambda: set_optimizer_state_dict(net, fresh, saved))
    assert "Missing optimizer state for parameter" in message
    set_optimizer_state_dict(net, fresh, saved, options=StateDictOptions(strict=False))
    return {"strict": message.split(" in checkpoint")[0], "strict=False": "loads"}
