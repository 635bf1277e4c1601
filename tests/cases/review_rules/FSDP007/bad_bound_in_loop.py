from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

def main(model, dev):
    for i, layer in enumerate(model.layers):
        wrapped = FSDP(layer, device_id=dev)  # <- FSDP007
    model = FSDP(model, device_id=dev)
    return model
