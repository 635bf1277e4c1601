import torch
from torch.distributed.fsdp import fully_shard
from torch.distributed.checkpoint.state_dict import set_model_state_dict, StateDictOptions
import torch.distributed.checkpoint as dcp

def main(model, path):
    sd0 = torch.load(path)
    model.load_state_dict(sd0)
    fully_shard(model)
    sd = model.state_dict()
    dcp.load({"model": sd}, checkpoint_id=path)
    model.load_state_dict(sd)
