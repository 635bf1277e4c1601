from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoModel


def moved(name, policy):
    model = AutoModel.from_pretrained(name).cuda()
    return FSDP(model, auto_wrap_policy=policy, sync_module_states=True)


def given(model, policy):
    return FSDP(model, auto_wrap_policy=policy, sync_module_states=True)


def no_sync(name, policy):
    return FSDP(AutoModel.from_pretrained(name), auto_wrap_policy=policy, sync_module_states=False)
