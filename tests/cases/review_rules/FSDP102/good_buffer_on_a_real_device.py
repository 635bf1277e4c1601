import numpy as np
import torch
from accelerate import init_empty_weights
from library import tables_again
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.fsdp import fully_shard

OPTIONS = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)


class Named(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.out = nn.Linear(n, n)
        self.register_buffer("ramp", torch.arange(n, device="cuda"), persistent=False)


class Inside(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.out = nn.Linear(n, n)
        with torch.device("cuda"):
            self.register_buffer("window", torch.ones(n, n).tril(), persistent=False)


class FromNumpy(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.out = nn.Linear(n, n)
        self.register_buffer("filters", torch.from_numpy(np.hanning(n)), persistent=False)


class Causal(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.out = nn.Linear(n, n)
        self.register_buffer("causal", torch.ones(n, n).tril(), persistent=False)


class Later(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.out, self.n = nn.Linear(n, n), n
        self.register_buffer("lags", torch.arange(n), persistent=False)

    def place(self, device):
        self.lags = torch.arange(self.n, device=device)


def real(n, whole):
    with torch.device("meta"):
        parts = [Named(n), Inside(n), FromNumpy(n)]
    for part in parts:
        fully_shard(part)
        set_model_state_dict(part, whole, options=OPTIONS)


def parameters_only(n, whole):
    with init_empty_weights():
        causal = Causal(n)
    fully_shard(causal)
    set_model_state_dict(causal, whole, options=OPTIONS)
    return causal


def handed_on(n, whole):
    with torch.device("meta"):
        causal = Causal(n)
    fully_shard(causal)
    set_model_state_dict(causal, whole, options=OPTIONS)
    tables_again(causal)
    return causal


def placed(n, whole):
    with torch.device("meta"):
        later = Later(n)
    fully_shard(later)
    later.place("cuda")
    set_model_state_dict(later, whole, options=OPTIONS)
    return later
