import torch
from huggingface_hub import hf_hub_download
from safetensors.torch import load_file
from torch.distributed.fsdp import fully_shard
def main(build, repo, mesh):
    model = build()
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    state = {}
    for shard in ("a.safetensors", "b.safetensors"):
        state.update(load_file(hf_hub_download(repo, shard)))
    missing, unexpected = model.load_state_dict(state)  # <- FSDP043
    return missing, unexpected
