from torch.distributed.fsdp import fully_shard
from transformers import AutoModelForCausalLM
def prep(name, mesh):
    lm = AutoModelForCausalLM.from_pretrained(name)
    for l in lm.model.layers:
        fully_shard(l, mesh=mesh)
    fully_shard(lm, mesh=mesh)
    return lm
def main(name, tok, mesh):
    lm = prep(name, mesh)
    lm.resize_token_embeddings(len(tok))  # <- FSDP033
    return lm
