from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(build):
    m = FSDP(build(), use_orig_params=False)
    for name, p in m.named_parameters():
        if name.startswith("encoder."):  # <- FSDP016
            p.requires_grad_(False)
    return m
