from torch.distributed import fsdp
from transformers import AutoModelForCausalLM


def load(name, device):
    model = AutoModelForCausalLM.from_pretrained(name)
    return fsdp.FullyShardedDataParallel(model, device_id=device)  # <- FSDP002
