import torch
from peft import LoraConfig, get_peft_model
from functools import partial
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from transformers import AutoModelForCausalLM
from transformers.models.llama.modeling_llama import LlamaDecoderLayer
def main(name):
    base = AutoModelForCausalLM.from_pretrained(name)
    model = get_peft_model(base, LoraConfig(r=8))
    pol = partial(transformer_auto_wrap_policy, transformer_layer_cls={LlamaDecoderLayer})
    return FSDP(model, auto_wrap_policy=pol, device_id=torch.cuda.current_device())  # <- FSDP015
