import torch
from accelerate import Accelerator


def main(model):
    accelerator = Accelerator()
    accelerator.clip_grad_value_(model.parameters(), 0.5)
    torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)
