import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoModelForCausalLM


def main(config, policy, init):
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    return FSDP(model, auto_wrap_policy=policy, param_init_fn=init, sync_module_states=True)
