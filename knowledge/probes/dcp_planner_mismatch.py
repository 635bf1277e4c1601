"""Saved without flattening, a nested dict is one pickled object of one rank; a default load does not find its keys."""

import torch.distributed.checkpoint as dcp
from _lab import Net, raises, shard
from torch.distributed.checkpoint import CheckpointException, DefaultLoadPlanner, DefaultSavePlanner, FileSystemReader


def _keys(path):
    return {
        key: type(value).__name__ for key, value in FileSystemReader(path).read_metadata().state_dict_metadata.items()
    }


def probe(rank, world_size):
    """Save a nested dict with both planners, list the keys, load crosswise."""
    net = shard(Net())
    nested = {"model": {"weight": net.state_dict()["head.weight"]}}
    dcp.save(nested, checkpoint_id="flat")
    dcp.save(nested, checkpoint_id="nested", planner=DefaultSavePlanner(flatten_state_dict=False))
    assert _keys("flat") == {"model.weight": "TensorStorageMetadata"}, _keys("flat")
    assert _keys("nested") == {"model": "BytesStorageMetadata"}, _keys("nested")
    message = "Missing key in checkpoint state_dict: model.weight"
    raises(CheckpointException, message, lambda: dcp.load(nested, checkpoint_id="nested"))
    other = "Missing key in checkpoint state_dict: model"
    plain = DefaultLoadPlanner(flatten_state_dict=False)
    raises(CheckpointException, other, lambda: dcp.load(nested, checkpoint_id="flat", planner=plain))
    dcp.load(nested, checkpoint_id="flat", planner=DefaultLoadPlanner())
    dcp.load(nested, checkpoint_id="flat")
    return {"flattened": _keys("flat"), "not flattened": _keys("nested"), "crosswise": "Missing key", "same": "loads"}
