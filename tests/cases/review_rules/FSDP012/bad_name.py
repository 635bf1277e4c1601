from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(model, dev):
    names = model._no_split_modules
    return FSDP(model, auto_wrap_policy="transformer_based_wrap", device_id=dev)  # <- FSDP012
