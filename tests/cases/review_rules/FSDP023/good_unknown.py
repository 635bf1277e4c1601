from torch.distributed.device_mesh import init_device_mesh


def mesh(world, tp):
    return init_device_mesh("cuda", (world // tp, 4), mesh_dim_names=("dp", "tp"))


def one(world_size):
    return init_device_mesh("cuda", (8,))
