from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

def main(model, dev):
    for name, child in model.named_children():
        setattr(model, name, FSDP(child, device_id=dev))
    for i, layer in enumerate(model.layers):
        wrapped = FSDP(layer, device_id=dev)
        model.layers[i] = wrapped
    return FSDP(model, device_id=dev)
