from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def export(model):
    with FSDP.summon_full_params(model, rank0_only=True, writeback=False, offload_to_cpu=True):
        return model.state_dict()
