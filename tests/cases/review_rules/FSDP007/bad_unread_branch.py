from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

def maybe_shard(model, args):
    if args.mode == "fsdp":
        wrapped = FSDP(model, device_id=args.dev)  # <- FSDP007
    elif args.mode == "ddp":
        model = torch.nn.parallel.DistributedDataParallel(model)
    return model
