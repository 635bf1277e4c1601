import torch
from torch.distributed.fsdp import fully_shard
def main(model):
    compiled = torch.compile(model)
    compiled(1)
    torch.save(model.state_dict(), "a.pt")
    model.compile()
    torch.save(model.state_dict(), "b.pt")
