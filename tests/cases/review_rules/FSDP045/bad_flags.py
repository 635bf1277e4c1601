import torch
import torch.distributed.checkpoint.state_dict as sd

OPTIONS = sd.StateDictOptions(broadcast_from_rank0=True)  # <- FSDP045


def load(model, path, rank):
    weights = torch.load(path, mmap=True) if rank == 0 else {}
    sd.set_model_state_dict(model, weights, options=OPTIONS)
