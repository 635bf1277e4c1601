import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from model import Mixture


def main(experts):
    world = torch.distributed.get_world_size()
    mesh = init_device_mesh("cuda", (experts, world // experts), mesh_dim_names=("ep", "fsdp"))
    model = Mixture(experts)
    own, dense = mesh["fsdp"], mesh["ep", "fsdp"]
    for layer in model.layers:
        for expert in layer.experts:
            fully_shard(expert, mesh=own)
        fully_shard(layer, mesh=dense)
    fully_shard(model, mesh=dense)
    return model
