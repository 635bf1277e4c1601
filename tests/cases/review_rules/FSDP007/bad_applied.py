from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
import torch

def main(model, dev):
    model.apply(lambda m: FSDP(m, device_id=dev) if isinstance(m, torch.nn.TransformerEncoderLayer) else m)  # <- FSDP007
    return FSDP(model, device_id=dev)
