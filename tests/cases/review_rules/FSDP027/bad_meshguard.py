import os
from torch.distributed.device_mesh import init_device_mesh
def mesh_for_eval(n):
    local = int(os.environ["LOCAL_RANK"])
    if local == 0:
        return init_device_mesh("cuda", (n,))  # <- FSDP027
