import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoModelForCausalLM


class Run:
    def __init__(self, name, policy):
        net = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16)  # <- FSDP061
        self.net = FSDP(net, auto_wrap_policy=policy)
        self.optimizer = torch.optim.AdamW(self.net.parameters())

    def step(self, batch):
        self.net(**batch).loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
