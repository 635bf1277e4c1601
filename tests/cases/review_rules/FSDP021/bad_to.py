from torch import distributed
from torch.distributed.fsdp import fully_shard


def start():
    distributed.init_process_group("nccl")


def main(model, batch):
    start()
    batch = batch.to("cuda")  # <- FSDP021
    fully_shard(model)
    return model(batch)
