from dataclasses import dataclass, field
import torch
from torch.distributed.fsdp import fully_shard
@dataclass
class TrainState:
    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    step: int = 0
def init_state(model, lr):
    return TrainState(model=model, optimizer=torch.optim.AdamW(model.parameters(), lr=lr))  # <- FSDP001
def parallelize(state, mesh):
    for layer in state.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(state.model, mesh=mesh)
    return state
def main(build, mesh):
    state = init_state(build(), 1e-4)
    return parallelize(state, mesh)
