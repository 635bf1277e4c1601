import os
from datetime import datetime

from torch.distributed import checkpoint
from torch.distributed.checkpoint import FileSystemWriter


class Saver:
    def __init__(self, root):
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")  # <- FSDP048
        self.folder = os.path.join(root, stamp)

    def save(self, state, step):
        checkpoint.save(state, storage_writer=FileSystemWriter(f"{self.folder}/{step}"))
