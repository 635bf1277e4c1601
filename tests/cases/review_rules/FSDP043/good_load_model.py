from safetensors.torch import load_model
from torch.distributed.fsdp import fully_shard


def main(net, mesh, path):
    load_model(net, path)
    for layer in net.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(net, mesh=mesh)
