from torch import nn


class Stack(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.body = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])
