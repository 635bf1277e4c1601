"""An object with state_dict and load_state_dict is asked by dcp.save and dcp.load itself."""

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, shard
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.stateful import Stateful


class App(Stateful):
    """Model, optimizer and step count in one."""

    def __init__(self):
        """Make a sharded net with its optimizer."""
        self.net = shard(Net())
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=0.1)
        self.step = 0
        self.calls = []

    def state_dict(self):
        """Return everything that a resume needs."""
        self.calls.append("state_dict")
        model, optimizer = get_state_dict(self.net, self.optimizer)
        return {"model": model, "optimizer": optimizer, "step": self.step}

    def load_state_dict(self, state_dict):
        """Put it back."""
        self.calls.append("load_state_dict")
        set_state_dict(
            self.net,
            self.optimizer,
            model_state_dict=state_dict["model"],
            optim_state_dict=state_dict["optimizer"],
        )
        self.step = state_dict["step"]


def probe(rank, world_size):
    """Save one app, load into another."""
    app = App()
    app.net(batch(rank)).sum().backward()
    app.optimizer.step()
    app.optimizer.zero_grad()
    app.step = 5
    dcp.save({"app": app}, checkpoint_id="ckpt")
    torch.manual_seed(9)
    other = App()
    dcp.load({"app": other}, checkpoint_id="ckpt")
    assert other.step == 5, other.calls
    assert other.calls == ["state_dict", "load_state_dict"], other.calls
    assert torch.equal(other.net.head.weight.full_tensor(), app.net.head.weight.full_tensor())
    return {"dcp.load calls": other.calls, "step": other.step}
