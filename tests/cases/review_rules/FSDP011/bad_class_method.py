from copy import deepcopy
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Teacher:
    @classmethod
    def of(cls, student):
        t = deepcopy(student)  # <- FSDP011
        for p in t.parameters():
            p.requires_grad_(False)
        return t


def main(net, pol):
    student = FSDP(net, auto_wrap_policy=pol, device_id=torch.cuda.current_device(), use_orig_params=True)
    teacher = Teacher.of(student)
    return student, teacher
