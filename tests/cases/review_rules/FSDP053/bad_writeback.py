from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def export(model):
    with FSDP.summon_full_params(model, rank0_only=True, offload_to_cpu=True):  # <- FSDP053
        return model.state_dict()
