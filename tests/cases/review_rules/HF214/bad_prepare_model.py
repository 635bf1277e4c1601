from accelerate import Accelerator
from accelerate.utils import FullyShardedDataParallelPlugin
import torch


def main(net, loader):
    options = {"fsdp_version": 2, "cpu_offload": False}
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(**options))
    net = accelerator.prepare_model(net)  # <- HF214
    optimizer = torch.optim.AdamW(net.parameters())
    return net, accelerator.prepare_optimizer(optimizer), loader
