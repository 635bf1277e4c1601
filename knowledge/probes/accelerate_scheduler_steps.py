"""A scheduler prepared by accelerate steps once per process at each optimizer step."""

import torch
from accelerate import Accelerator
from accelerate.utils import DataLoaderConfiguration

REQUIRES = ("accelerate",)
TIMEOUT_S = 120


def last_epoch(split_batches):
    """Return the scheduler's count after two batches."""
    accelerator = Accelerator(
        cpu=True,
        dataloader_config=DataLoaderConfiguration(split_batches=split_batches),
    )
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
    net, optimizer, scheduler = accelerator.prepare(net, optimizer, scheduler)
    for _ in range(2):
        accelerator.backward(net(torch.ones(1, 2)).sum())
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    return scheduler.scheduler.last_epoch


def probe(rank, world_size):
    """Count with the default and with split_batches."""
    counts = {
        "default": last_epoch(split_batches=False),
        "split_batches": last_epoch(split_batches=True),
    }
    assert counts == {"default": 2 * world_size, "split_batches": 2}, counts
    return counts
