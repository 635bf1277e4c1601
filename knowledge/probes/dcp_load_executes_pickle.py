"""dcp.load unpickles .metadata and non-tensor values: a foreign checkpoint can run code."""

import os
import pickle
from pathlib import Path

import torch.distributed.checkpoint as dcp
from _lab import Net


class Evil:
    """Makes a folder when it is unpickled."""

    def __reduce__(self):
        """Say how to rebuild this object: by a call."""
        return os.makedirs, ("was-here",)


def probe(rank, world_size):
    """Put such an object in the place of .metadata and of a saved value."""
    if rank != 0:
        return None
    Path("ckpt").mkdir()
    with open("ckpt/.metadata", "wb") as file:
        pickle.dump(Evil(), file)
    try:
        dcp.load(Net().state_dict(), checkpoint_id="ckpt", no_dist=True)
    except BaseException as error:
        assert error is not None
    assert Path("was-here").is_dir(), "the object of .metadata was not run"
    Path("was-here").rmdir()
    dcp.save({"value": Evil()}, checkpoint_id="value", no_dist=True)
    dcp.load({"value": 0}, checkpoint_id="value", no_dist=True)
    assert Path("was-here").is_dir(), "the object of a value was not run"
    return {".metadata": "runs code", "non-tensor value": "runs code"}
