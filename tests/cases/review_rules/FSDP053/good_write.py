from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def edit(model, options):
    with FSDP.summon_full_params(model):
        model.head.weight.zero_()
    with FSDP.summon_full_params(model, **options):
        model.head.weight.zero_()
