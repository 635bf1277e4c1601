import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy
from transformers import AutoModelForCausalLM
kw = dict(sharding_strategy=ShardingStrategy.FULL_SHARD, auto_wrap_policy=None)
def get(name):
    lm = AutoModelForCausalLM.from_pretrained(name)
    return FSDP(lm, device_id=torch.cuda.current_device(), **kw)  # <- FSDP002
