"""Saves of one rank: in the foreground, in the background, failing; torch's own loader reads them back."""

import errno
import json

import fsdp_sft_writing
import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from fsdp_sft_checkpoint import Progress
from fsdp_sft_config import Recipe
from fsdp_sft_manifest import find_fault
from fsdp_sft_rundir import RunDir
from fsdp_sft_saving import Saving
from fsdp_sft_world import World


@pytest.fixture
def world(tmp_path):
    """A process group of one rank."""
    store = dist.FileStore(str(tmp_path / "store"), 1)
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield World(0, 1, torch.device("cpu"))
    dist.destroy_process_group()


class States:
    """Gives the same tensor at each step, which the training then changes."""

    def __init__(self):
        self.weight = torch.zeros(8)

    def state(self, progress):
        return {"weight": self.weight, "progress": torch.tensor([progress.step])}


@pytest.fixture(params=[False, True], ids=["waiting", "going on"])
def saving(request, world, tmp_path):
    recipe = Recipe(async_checkpoints=request.param, keep_checkpoints=2)
    (tmp_path / "run").mkdir()
    return Saving(States(), RunDir(tmp_path / "run", 0, 1), world, recipe, parameters=8)


def events(tmp_path, kind):
    path = tmp_path / "run" / "events.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [event for event in map(json.loads, lines) if event["kind"] == kind]


def names(tmp_path):
    return sorted(path.name for path in (tmp_path / "run" / "ckpt").iterdir())


def save(saving, step):
    """Save and wait for it."""
    saving.save(Progress(step))
    saving.settle(step)


def no_space(*_):
    raise OSError(errno.ENOSPC, "No space left on device", "manifest.json")


def test_each_checkpoint_has_the_state_of_its_step_and_the_outdated_ones_go(saving, tmp_path):
    for step in (1, 2, 3):
        saving._checkpointer.weight.fill_(step)
        assert saving.save(Progress(step)) is None
        saving._checkpointer.weight.fill_(-1)  # the training goes on at once
    assert saving.save(Progress(3), last=True) is None  # the newest is there already, or in flight
    assert saving.saved_step == 3
    assert [event["step"] for event in events(tmp_path, "checkpoint")] == [1, 2, 3]
    assert names(tmp_path) == ["step-00000002", "step-00000003"]
    for step in (2, 3):
        folder = tmp_path / "run" / "ckpt" / f"step-{step:08d}"
        assert find_fault(folder) is None
        state = {"weight": torch.empty(8)}
        dcp.load(state, checkpoint_id=folder)
        assert state["weight"].tolist() == [float(step)] * 8


def test_a_failed_save_leaves_nothing_and_the_next_one_is_tried(saving, tmp_path, monkeypatch):
    save(saving, 1)
    with monkeypatch.context() as patched:
        patched.setattr(fsdp_sft_writing, "write_manifest", no_space)
        save(saving, 2)
    assert names(tmp_path) == ["step-00000001"]
    (warning,) = events(tmp_path, "warning")
    assert warning["data"]["code"] == "save_failed"
    assert "No space left on device" in warning["data"]["message"]
    assert "that of step 1 is kept" in warning["data"]["message"]
    save(saving, 3)
    assert saving.saved_step == 3
    assert names(tmp_path) == ["step-00000001", "step-00000003"]


def test_the_second_failure_in_a_row_ends_the_job(saving, monkeypatch):
    monkeypatch.setattr(fsdp_sft_writing, "write_manifest", no_space)
    save(saving, 1)
    with pytest.raises(RuntimeError, match=r"2 saves in a row failed, up to step 2: .*No space left"):
        save(saving, 2)


def test_a_failure_at_the_end_is_the_callers(saving, monkeypatch):
    monkeypatch.setattr(fsdp_sft_writing, "write_manifest", no_space)
    saving.save(Progress(1))
    assert "No space left on device" in saving.save(Progress(2), last=True)


def test_a_foreign_file_in_the_folder_is_a_failed_save_and_no_hang(saving, tmp_path, monkeypatch):
    real = fsdp_sft_writing.digest_files

    def late(folder, files):
        (folder / "foreign").touch()
        return real(folder, files)

    monkeypatch.setattr(fsdp_sft_writing, "digest_files", late)
    save(saving, 1)
    (warning,) = events(tmp_path, "warning")
    assert "foreign" in warning["data"]["message"]


def test_an_outdated_checkpoint_that_cannot_be_deleted_costs_a_warning(saving, tmp_path, monkeypatch):
    def stuck(*_):
        raise OSError(errno.EACCES, "Permission denied", "step-00000001")

    monkeypatch.setattr(fsdp_sft_writing, "retire", stuck)
    assert saving.save(Progress(1), last=True) is None
    (warning,) = events(tmp_path, "warning")
    assert warning["data"]["code"] == "retention"
    assert saving.saved_step == 1
