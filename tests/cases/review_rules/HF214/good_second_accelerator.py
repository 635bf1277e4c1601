"""A teacher that is used as it is, beside the model that is prepared with its optimizer."""

import torch
from accelerate import Accelerator
from accelerate.utils import FullyShardedDataParallelPlugin


def main(student, teacher, loader):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2))
    teacher.to(accelerator.device).eval()
    optimizer = torch.optim.AdamW(student.parameters())
    scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer)
    student, optimizer = accelerator.prepare(student, optimizer)
    loader, scheduler = accelerator.prepare(loader, scheduler)
    return student, teacher, loader, scheduler
