import contextlib
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
@contextlib.contextmanager
def main_first():
    yield dist.get_rank() == 0
def save(sd):
    with main_first() as main:
        if main:
            dcp.save(sd, checkpoint_id="x")  # <- FSDP040
