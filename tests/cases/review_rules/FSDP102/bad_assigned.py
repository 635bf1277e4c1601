import torch
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.fsdp import fully_shard


class Slopes(nn.Module):
    def __init__(self, heads):
        super().__init__()
        steps = torch.arange(1, heads + 1) * (8.0 / heads)
        self.register_buffer("slopes", torch.pow(0.5, steps), persistent=False)

    def forward(self, scores):
        return scores - self.slopes[:, None, None]


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.qkv, self.bias = nn.Linear(width, 3 * width), Slopes(heads)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        return self.bias(q @ k.transpose(-1, -2)) @ v


class Model(nn.Module):
    def __init__(self, width, heads, depth):
        super().__init__()
        self.layers = nn.ModuleList([Attention(width, heads) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def scattered(whole):
    with torch.device("meta"):
        model = Model(512, 8, 12)
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    options = StateDictOptions(full_state_dict=True)
    set_model_state_dict(model, whole, options=options)  # <- FSDP102
    return model


def assigned_first(whole):
    with torch.device("meta"):
        model = Model(512, 8, 12)
    model.load_state_dict(whole, assign=True)  # <- FSDP102
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    return model
