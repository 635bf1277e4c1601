from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def wrap_layer(layer, pg):
    return FSDP(layer, process_group=pg)  # <- FSDP007
def shard(model, pg):
    for l in model.layers:
        wrap_layer(l, pg)
    return FSDP(model, process_group=pg)
