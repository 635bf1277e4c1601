from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, device):
    for layer in model.layers:
        FSDP(layer, device_id=device)  # <- FSDP007
    return FSDP(model, device_id=device)
