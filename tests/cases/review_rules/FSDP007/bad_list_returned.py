import torch.distributed.fsdp as fsdp

def wrap_layers(layers, **kw):
    return [fsdp.FullyShardedDataParallel(l, **kw) for l in layers]

def main(model, dev):
    wrap_layers(model.layers, device_id=dev)  # <- FSDP007
    model = fsdp.FullyShardedDataParallel(model, device_id=dev)
    return model
