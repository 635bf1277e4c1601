import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoModel


def main(name, policy):
    model = AutoModel.from_pretrained(name)
    return FSDP(model, auto_wrap_policy=policy, sync_module_states=True, device_id=torch.cuda.current_device())
