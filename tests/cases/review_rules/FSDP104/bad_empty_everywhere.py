import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.models.llama.modeling_llama import LlamaDecoderLayer


def load_low_mem(name):
    if dist.get_rank() == 0:
        return AutoModelForCausalLM.from_pretrained(name)
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(name))


def main(name):
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank() % 8)
    model = load_low_mem(name)
    model = FSDP(  # <- FSDP104
        model,
        auto_wrap_policy=ModuleWrapPolicy({LlamaDecoderLayer}),
        device_id=torch.cuda.current_device(),
        param_init_fn=lambda m: m.to_empty(device=torch.device("cuda"), recurse=False),
    )
    return model
