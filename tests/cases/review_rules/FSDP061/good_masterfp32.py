import torch
from transformers import AutoModelForCausalLM
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
def main(name, mesh):
    m = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float32)
    mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for l in m.model.layers:
        fully_shard(l, mesh=mesh, mp_policy=mp)
    fully_shard(m, mesh=mesh, mp_policy=mp)
    return torch.optim.AdamW(m.parameters())
