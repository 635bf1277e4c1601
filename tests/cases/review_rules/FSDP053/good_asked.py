from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

def export(model, write):
    with FSDP.summon_full_params(model, writeback=write, rank0_only=not write, offload_to_cpu=not write):
        model.generate()
    with FSDP.summon_full_params(model, True, False):
        model.generate()
