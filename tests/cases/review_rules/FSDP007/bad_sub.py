from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def wrap_layer(layer, pg):
    return FSDP(layer, process_group=pg)
def shard(model, pg):
    for l in model.layers:
        wrap_layer(l, pg)  # <- FSDP007
    return FSDP(model, process_group=pg)
