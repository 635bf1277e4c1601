from model import Stack
from torch.distributed.fsdp import fully_shard as fs


def main():
    stack = Stack(8)
    fs(stack.embed)
    fs(stack.body)  # <- FSDP004
    fs(stack)
