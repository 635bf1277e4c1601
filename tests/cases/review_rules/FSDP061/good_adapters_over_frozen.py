import torch
from peft import LoraConfig, get_peft_model
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
from transformers import AutoModelForCausalLM


def main(name, loader):
    base = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16)
    m = get_peft_model(base, LoraConfig(r=16, target_modules="all-linear"))
    mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for l in m.base_model.model.model.layers:
        fully_shard(l, mp_policy=mp)
    fully_shard(m, mp_policy=mp)
    opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=1e-4)
    for b in loader:
        m(**b).loss.backward()
        opt.step()
        opt.zero_grad()
