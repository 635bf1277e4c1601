import torch.distributed
from project import checkpoint


def forward(block, x):
    return checkpoint(block, x)
