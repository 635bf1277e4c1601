from torch.distributed.fsdp import fully_shard
from transformers import LlamaForCausalLM, LlamaConfig
def main(mesh):
    lm = LlamaForCausalLM(LlamaConfig())
    layers = lm.model.layers
    for l in layers:
        fully_shard(l, mesh=mesh)
    fully_shard(lm, mesh=mesh)
