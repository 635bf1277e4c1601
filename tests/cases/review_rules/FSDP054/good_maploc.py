import torch
from torch.distributed.fsdp import fully_shard
from torch.distributed.checkpoint.state_dict import set_model_state_dict, StateDictOptions
def main(m, p, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    sd = torch.load(p, map_location="cpu", mmap=True)
    set_model_state_dict(m, sd, options=StateDictOptions(full_state_dict=True))
