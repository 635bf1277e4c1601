import os, time
import torch.distributed.checkpoint as dcp
from pathlib import Path
class Saver:
    def __init__(self, out):
        self.out = Path(out) / f"run-{os.getpid()}"  # <- FSDP048
    def save(self, model, step):
        dcp.save({"model": model.state_dict()}, checkpoint_id=self.out / str(step))
