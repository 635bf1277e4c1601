from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def count(m):
    return sum(p.numel() for p in m.parameters())  # <- FSDP018
def main(build):
    model = FSDP(build(), use_orig_params=True)
    print(f"{count(model) / 1e9:.2f}B parameters")
