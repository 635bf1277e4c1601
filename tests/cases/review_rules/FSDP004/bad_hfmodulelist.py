from torch.distributed.fsdp import fully_shard
from transformers import AutoModelForCausalLM
def main(name, mesh):
    lm = AutoModelForCausalLM.from_pretrained(name)
    fully_shard(lm.model.layers, mesh=mesh)  # <- FSDP004
    fully_shard(lm, mesh=mesh)
