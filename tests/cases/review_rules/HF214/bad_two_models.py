from accelerate import Accelerator
from accelerate.utils import FullyShardedDataParallelPlugin
import torch

def main(student, teacher, loader):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2))
    optim = torch.optim.AdamW(student.parameters())
    student, teacher, optim, loader = accelerator.prepare(student, teacher, optim, loader)  # <- HF214
