import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    @torch.no_grad()
    def init_weights(self):
        nn.init.xavier_uniform_(self.up.weight)
        nn.init.zeros_(self.down.weight)

    def forward(self, x):
        return x + self.down(self.up(x).relu())


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.steps = nn.ModuleList([Block(width) for _ in range(depth)])

    @torch.no_grad()
    def init_weights(self):
        for step in self.steps:
            step.init_weights()

    def forward(self, x):
        for step in self.steps:
            x = step(x)
        return x


def overfit(width, batch):
    with torch.device("meta"):
        stack = Stack(width, 6)
    for step in stack.steps:
        fully_shard(step)
    fully_shard(stack)
    stack.to_empty(device="cuda")  # <- FSDP101
    sgd = torch.optim.SGD(stack.parameters(), lr=0.1)
    stack(batch).square().mean().backward()
    sgd.step()
