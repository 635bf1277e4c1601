"""A disk with room for one checkpoint: the job warns, keeps it, and fails only if nothing can be saved."""

import json
import subprocess

import pytest

pytestmark = pytest.mark.train

DISK_MIB = 10
"""The reserve (8 MiB) and one checkpoint of the model (1.3 MB), but not two."""


@pytest.fixture
def run_dir(tmp_path):
    """A run folder whose checkpoints are on a small disk of their own."""
    folder = tmp_path / "run"
    (folder / "ckpt").mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "none", str(folder / "ckpt")]
    try:
        done = subprocess.run(mount, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no mount program here")
    if done.returncode:
        pytest.skip(f"mounting a small disk is not permitted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder / "ckpt")], check=True)


def warned(run_dir, read_events):
    return [event["step"] for event in read_events(run_dir, "warning") if event["data"]["code"] == "no_space"]


def test_a_full_disk_costs_checkpoints_and_not_the_job(run_dir, make_config, llama, torchrun, read_events):
    config = make_config(llama, eval_data=False, steps=9, checkpoint_every=3, export=True)
    done = torchrun.job(config, run_dir)
    assert done.returncode == 0, done.stderr[-4000:]
    assert [event["step"] for event in read_events(run_dir, "checkpoint")] == [3]
    assert warned(run_dir, read_events) == [6, 9]
    assert [path.name for path in (run_dir / "ckpt").iterdir()] == ["step-00000003"]
    result = json.loads((run_dir / "result.json").read_text())
    assert (result["status"], result["steps"]) == ("done", 9)
    assert (run_dir / "export" / "model.safetensors").is_file()  # on the large disk


@pytest.mark.slow
def test_without_an_export_the_end_says_that_nothing_was_saved(run_dir, make_config, llama, torchrun, read_events):
    config = make_config(llama, eval_data=False, steps=5, checkpoint_every=3)
    done = torchrun.job(config, run_dir)
    assert done.returncode == 1
    assert "trained to step 5, but nothing of it can be saved: no room in" in done.stderr
    assert warned(run_dir, read_events) == [5]
    assert (run_dir / "ckpt" / "step-00000003" / "manifest.json").is_file()
    assert not (run_dir / "result.json").exists()
    # with room it goes on from there
    subprocess.run(["mount", "-o", "remount,size=64m", str(run_dir / "ckpt")], check=True)
    done = torchrun.job(config, run_dir, attempt=2)
    assert done.returncode == 0, done.stderr[-4000:]
    assert read_events(run_dir, "resume")[0]["data"]["checkpoint"] == "step-00000003"
