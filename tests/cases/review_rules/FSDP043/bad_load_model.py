import safetensors.torch as st
from torch.distributed.fsdp import fully_shard


def shard(net, mesh):
    for layer in net.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(net, mesh=mesh)


def restore(net, path):
    missing, _ = st.load_model(net, path, strict=False)  # <- FSDP043
    return missing


def main(net, mesh, path):
    return restore(shard(net, mesh), path)
