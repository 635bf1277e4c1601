from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel


class Launcher:
    def __init__(self, ranks, group, islands):
        self.ranks, self.group, self.islands = ranks, group, islands

    def arguments(self):
        given = {"process_group": self.group, "limit_all_gathers": True}
        if self.islands:
            given.update(device_mesh=init_device_mesh("cuda", (self.islands, self.ranks // self.islands)))
        return given

    def wrap(self, net):
        return FullyShardedDataParallel(net, **self.arguments())  # <- FSDP031


def written(net, group, mesh, hybrid):
    more = {}
    if hybrid:
        more["device_mesh"] = mesh
    return FullyShardedDataParallel(net, process_group=group, **more)  # <- FSDP031
