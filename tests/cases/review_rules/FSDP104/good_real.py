import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoModelForCausalLM
from zoo import Own


def main(name, policy, options):
    model = FSDP(AutoModelForCausalLM.from_pretrained(name), auto_wrap_policy=policy)
    with torch.device("meta"):
        own = Own()
        other = AutoModelForCausalLM.from_config(name)
    return model, FSDP(own, auto_wrap_policy=policy), FSDP(other, **options)
