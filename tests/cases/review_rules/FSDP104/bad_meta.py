import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoModelForCausalLM


def main(config, policy):
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    return FSDP(model, auto_wrap_policy=policy)  # <- FSDP104
