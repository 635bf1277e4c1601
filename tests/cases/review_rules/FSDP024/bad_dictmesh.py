from torch.distributed import init_device_mesh
from torch.distributed.fsdp import fully_shard
NAMES = ("dp", "tp")
def meshes(dp, tp):
    m = init_device_mesh("cuda", (dp, tp), mesh_dim_names=NAMES)
    return {"world": m, "tp": m["tp"]}
def apply(model, dp, tp):
    ms = meshes(dp, tp)
    for b in model.blocks:
        fully_shard(b, mesh=ms["world"])  # <- FSDP024
    fully_shard(model, mesh=ms["world"])
