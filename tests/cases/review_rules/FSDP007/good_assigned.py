from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, device):
    model.encoder = FSDP(model.encoder, device_id=device)
    for index, layer in enumerate(model.layers):
        model.layers[index] = FSDP(layer, device_id=device)
    return FSDP(model, device_id=device)
