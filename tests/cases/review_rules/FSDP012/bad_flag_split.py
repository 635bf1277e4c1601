from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
import argparse

def main(model, dev):
    p = argparse.ArgumentParser()
    p.add_argument("--wrap", default="LlamaDecoderLayer,LlamaMLP")
    args = p.parse_args()
    policy = ModuleWrapPolicy(set(args.wrap.split(",")))  # <- FSDP012
    return FSDP(model, auto_wrap_policy=policy, device_id=dev)
