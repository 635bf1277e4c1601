import torch
from torch.distributed.fsdp import fully_shard
from transformers import AutoModelForCausalLM

def main(name, model):
    fully_shard(model)
    ref = AutoModelForCausalLM.from_pretrained(name)
    model.load_state_dict(ref.state_dict(), assign=True)  # <- FSDP044
