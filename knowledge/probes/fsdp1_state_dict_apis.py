"""FSDP1: state_dict_type warns and works; raw optimizer state is flat shards; get_state_dict serves it too."""

import warnings

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, shard
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import StateDictType


def probe(rank, world_size):
    """Save by the old and the new way; carry a sharded checkpoint over to FSDP2."""
    net = FSDP(Net(), device_id=torch.device("cpu"), use_orig_params=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(batch(rank)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with FSDP.state_dict_type(net, StateDictType.FULL_STATE_DICT):
            state = {name: value.clone() for name, value in net.state_dict().items()}
            moments = FSDP.optim_state_dict(net, optimizer)
    kinds = {warning.category.__name__ for warning in said if "state_dict_type" in str(warning.message)}
    assert kinds == {"FutureWarning"}, kinds
    assert state["head.weight"].shape == (8, 8)
    assert moments["state"]["head.weight"]["exp_avg"].shape == (8, 8)
    raw = optimizer.state_dict()["state"]
    assert all(isinstance(key, int) for key in raw)
    assert {value["exp_avg"].dim() for value in raw.values()} == {1}, "flat pieces of this rank"
    optimizer.load_state_dict(FSDP.optim_state_dict_to_load(net, optimizer, moments))
    sharded, sharded_moments = get_state_dict(net, optimizer)
    dcp.save({"model": sharded, "optimizer": sharded_moments}, checkpoint_id="fsdp1")
    torch.manual_seed(9)
    two = shard(Net())
    two_optimizer = torch.optim.AdamW(two.parameters(), lr=0.5)
    model_state, optimizer_state = get_state_dict(two, two_optimizer)
    target = {"model": model_state, "optimizer": optimizer_state}
    dcp.load(target, checkpoint_id="fsdp1")
    set_state_dict(two, two_optimizer, model_state_dict=target["model"], optim_state_dict=target["optimizer"])
    assert torch.equal(two.head.weight.full_tensor(), state["head.weight"])
    exp_avg = two_optimizer.state[two.head.weight]["exp_avg"].full_tensor()
    assert torch.equal(exp_avg, moments["state"]["head.weight"]["exp_avg"])
    assert two_optimizer.param_groups[0]["lr"] == 0.1
    return {
        "state_dict_type": "FutureWarning, works",
        "raw optimizer state": "integer keys, flat pieces",
        "sharded checkpoint into FSDP2": "equal weights and moments",
    }
