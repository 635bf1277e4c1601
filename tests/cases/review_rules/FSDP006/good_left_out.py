import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Clip(nn.Module):
    def __init__(self, tower):
        super().__init__()
        self.tower = tower
        self.logit_scale = nn.Parameter(torch.tensor(2.6))


def ignored(clip: Clip):
    fully_shard(clip, ignored_params={clip.logit_scale})


class Other(nn.Module):
    def __init__(self, tower):
        super().__init__()
        self.tower = tower
        self.bias_scale = nn.Parameter(torch.tensor(2.6))


def reshaped(other: Other):
    other.bias_scale = nn.Parameter(other.bias_scale.reshape(1))
    fully_shard(other)
