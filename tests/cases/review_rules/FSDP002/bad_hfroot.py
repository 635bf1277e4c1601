import torch
from transformers import LlamaForCausalLM, LlamaConfig
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
class Runner:
    def setup(self, mesh):
        self.model = LlamaForCausalLM(LlamaConfig())
        self.model = fully_shard(self.model, mesh=mesh, mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32))  # <- FSDP002
