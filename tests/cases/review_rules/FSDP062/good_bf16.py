import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

POLICIES = {
    "bf16": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
    "fp16": MixedPrecisionPolicy(param_dtype=torch.float16, reduce_dtype=torch.float32),
}


def train(model, x):
    fully_shard(model, mp_policy=POLICIES["bf16"])
    model(x).sum().backward()


def serve(model, name):
    fully_shard(model, mp_policy=POLICIES[name])
