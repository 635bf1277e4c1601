import os
import pickle

import pytest
import torch
import torch.distributed.checkpoint as dcp
from fsdp_sft_loading import CheckedReader, RestrictedPlanner
from torch.distributed.checkpoint.api import CheckpointException


class Harm:
    """Makes a folder where it is unpickled."""

    def __init__(self, path):
        self._path = path

    def __reduce__(self):
        return os.mkdir, (str(self._path),)


def state_of(value):
    return {"weight": torch.full((3, 2), 7.0), "group": {"lr": value, "betas": (0.9, 0.95), "fused": None}}


@pytest.fixture
def saved(tmp_path):
    """Save a state with a value in it; returns the folder."""

    def save(value):
        dcp.save(state_of(value), checkpoint_id=tmp_path / "step", no_dist=True)
        return tmp_path / "step"

    return save


def load(folder):
    state = {"weight": torch.zeros(3, 2), "group": {"lr": 0.0, "betas": (0.0, 0.0), "fused": 1}}
    dcp.load(state, storage_reader=CheckedReader(folder), planner=RestrictedPlanner(), no_dist=True)
    return state


def test_a_whole_checkpoint_loads_in_place(saved):
    state = load(saved(0.25))
    assert state["group"] == {"lr": 0.25, "betas": (0.9, 0.95), "fused": None}
    assert torch.equal(state["weight"], torch.full((3, 2), 7.0))


def test_an_entry_that_names_a_function_is_not_unpickled(saved, tmp_path):
    folder, harm = saved(Harm(tmp_path / "harm")), tmp_path / "harm"
    with pytest.raises(CheckpointException) as caught:
        load(folder)
    assert not harm.exists()
    assert "posix.mkdir" in str(caught.value)
    # by DCP's own way it is: the entry is what it is taken for
    dcp.load(state_of(0.0), checkpoint_id=folder, no_dist=True)
    assert harm.is_dir()


@pytest.mark.parametrize("also", [".metadata", "__0.metadata"])
def test_a_metadata_that_was_exchanged_after_the_check_is_not_unpickled(saved, tmp_path, also):
    folder, harm = saved(0.25), tmp_path / "harm"
    for name in {".metadata", also}:
        (folder / name).write_bytes(pickle.dumps(Harm(harm)))
    with pytest.raises(CheckpointException):
        load(folder)
    assert not harm.exists()
