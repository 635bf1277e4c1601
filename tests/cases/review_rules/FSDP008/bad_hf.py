from transformers import GPT2LMHeadModel
from torch.distributed.fsdp import fully_shard
def shard(mesh):
    model = GPT2LMHeadModel.from_pretrained("gpt2")
    model.lm_head.weight = model.transformer.wte.weight
    fully_shard(model.transformer.wte, mesh=mesh)  # <- FSDP008
    for b in model.transformer.h:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
