"""An adapter that is loaded to be used is frozen like the model below it."""

from peft import PeftModel
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def main(model, path, device):
    model = PeftModel.from_pretrained(model, path)
    return FSDP(model, device_id=device)
