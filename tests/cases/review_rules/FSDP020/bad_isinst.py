from torch.distributed.fsdp import fully_shard, FullyShardedDataParallel as FSDP
def save(model):
    with FSDP.summon_full_params(model):  # <- FSDP020
        return {k: v.cpu() for k, v in model.state_dict().items()}
def main(build, mesh):
    net = build()
    for b in net.layers:
        fully_shard(b, mesh=mesh)
    fully_shard(net, mesh=mesh)
    return save(net)
