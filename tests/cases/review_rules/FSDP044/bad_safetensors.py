from safetensors import torch as st
from torch.distributed import fsdp


def read(files):
    state = {}
    for name in files:
        state.update(st.load_file(name))
    return state


def main(model, files):
    sharded = fsdp.fully_shard(model)
    sharded.load_state_dict(read(files), strict=True, assign=True)  # <- FSDP044
