from contextlib import nullcontext
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

def export(model, fsdp):
    ctx = FSDP.summon_full_params(model, True, True, True) if fsdp else nullcontext()  # <- FSDP053
    with ctx:
        model.generate()
