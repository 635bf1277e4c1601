import torch
from torch.distributed.fsdp import fully_shard
from transformers import AutoModelForCausalLM
def shard(m, mesh):
    for l in m.model.layers:
        fully_shard(l, mesh=mesh)
    return fully_shard(m, mesh=mesh)
def main(name, batch, mesh):
    lm = shard(AutoModelForCausalLM.from_pretrained(name), mesh)
    with torch.no_grad():
        return lm.generate(**batch, max_new_tokens=8)  # <- FSDP080
