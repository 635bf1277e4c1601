import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import fully_shard


def main(net, path):
    fully_shard(net)
    fast = torch.compile(net)
    dcp.save({"model": net.state_dict()}, checkpoint_id=path)
    dcp.save({"model": get_model_state_dict(fast)}, checkpoint_id=path)
