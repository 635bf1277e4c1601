from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel


def taken_out(net, group, islands, per_island):
    given = dict(process_group=group, use_orig_params=True)
    if islands > 1:
        given.pop("process_group")
        given["device_mesh"] = init_device_mesh("cuda", (islands, per_island))
    return FullyShardedDataParallel(net, **given)


def deleted(net, group, mesh):
    given = {"process_group": group}
    if mesh is not None:
        del given["process_group"]
        given["device_mesh"] = mesh
    return FullyShardedDataParallel(net, **given)


def either(net, group, mesh, hybrid):
    given = {"use_orig_params": True}
    if hybrid:
        given.update(device_mesh=mesh)
    else:
        given.update(process_group=group)
    return FullyShardedDataParallel(net, **given)


def apart(net, group, mesh, islands):
    given = {}
    if islands > 1:
        given["device_mesh"] = mesh
    if islands == 1:
        given["process_group"] = group
    return FullyShardedDataParallel(net, **given)


def returned(net, group, mesh, hybrid):
    given = {"process_group": group}
    if hybrid:
        return FullyShardedDataParallel(net, device_mesh=mesh)
    return FullyShardedDataParallel(net, **given)


def one_of_many(net, groups, kind, mesh):
    more = {}
    group = None
    if kind is None:
        more["device_mesh"] = mesh
    elif kind == "node":
        group = groups.node
    elif kind == "rack":
        group = groups.rack
    elif kind == "island":
        group = groups.island
    elif kind == "all":
        group = groups.everything
    return FullyShardedDataParallel(net, process_group=group, **more)
