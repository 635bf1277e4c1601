import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def export(model, path, rank):
    main = not rank
    if main:
        state = model.state_dict()  # <- FSDP040
        torch.save(state, path)
def run(build, path):
    dist.init_process_group("nccl")
    m = FSDP(build(), device_id=torch.cuda.current_device())
    export(m, path, dist.get_rank())
    dist.destroy_process_group()
