"""A user's own FSDP2 script whose data come from DataLoader workers: two for each rank.

    torchrun workers.py STEPS HOLD

It saves each step, goes on from the newest save, and writes losses to `losses.jsonl`. In the
first start it stands still before step HOLD until there is `go` in the run folder.
"""

import json
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, Dataset

RUN, START, RANK = Path(os.environ["FSDP_RUN_DIR"]), int(os.environ["FSDP_ATTEMPT"]), int(os.environ["RANK"])


class Numbers(Dataset):
    """Sixteen numbers for each place, the same in every epoch and start."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last = first, last

    def __len__(self) -> int:
        return self._last - self._first

    def __getitem__(self, index: int) -> torch.Tensor:
        source = torch.Generator().manual_seed(2 * (self._first + index) + RANK)
        return torch.randn(16, generator=source)


def newest(root: Path) -> Path | None:
    return max((path.parent for path in root.glob("*/.metadata")), key=lambda path: int(path.name), default=None)


def main() -> None:
    steps, hold = int(sys.argv[1]), int(sys.argv[2])
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 16))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for layer in (model[0], model[2]):
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    root, step = RUN / "ckpt", 0
    if saved := newest(root):
        step = int(saved.name)
        state = dict(zip(("model", "optimizer"), get_state_dict(model, optimizer), strict=True))
        dcp.load(state, checkpoint_id=saved)
        set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    for batch in DataLoader(Numbers(4 * step, 4 * steps), batch_size=4, num_workers=2):
        if START == 1 and step + 1 == hold:
            (RUN / f"held-{RANK}").touch()
            while not (RUN / "go").exists():
                time.sleep(0.01)
        loss = (model(batch) - batch).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        dist.all_reduce(total := loss.detach().clone())
        step += 1
        state = dict(zip(("model", "optimizer"), get_state_dict(model, optimizer), strict=True))
        dcp.save(state, checkpoint_id=root / str(step))
        if RANK == 0:
            with open(RUN / "losses.jsonl", "a") as stream:
                stream.write(json.dumps([step, total.item()]) + "\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # gloo's threads may abort an interpreter that goes away
