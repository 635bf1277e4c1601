from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
import torch.nn as nn

def wrap(m, dev):
    m = FSDP(m, device_id=dev)  # <- FSDP007

def main(dev):
    model = nn.Transformer()
    for l in model.encoder.layers:
        wrap(l, dev)
    model = FSDP(model, device_id=dev)
    return model
