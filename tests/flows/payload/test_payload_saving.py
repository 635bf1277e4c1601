"""Saves while the training goes on, and saves that fail: the same bits, and the job lives."""

import json

import pytest

pytestmark = pytest.mark.train

STEPS = 14


@pytest.fixture(scope="module")
def configs(make_config, llama_with_dropout):
    """The same job with saves that the training waits for, and with saves that it does not."""
    usual = {"steps": STEPS, "checkpoint_every": 4, "keep_checkpoints": 5}
    return {
        name: make_config(llama_with_dropout, async_checkpoints=background, **usual)
        for name, background in (("waiting", False), ("going on", True))
    }


@pytest.fixture(scope="module")
def uninterrupted(configs, module_torchrun):
    """Run folders of both jobs, which nothing disturbed."""
    return module_torchrun.drive(configs)


def shards(run_dir):
    """SHA-256 of each shard of each checkpoint."""
    return {
        path.parent.name: {
            name: entry["sha256"]
            for name, entry in json.loads(path.read_text())["files"].items()
            if name.endswith(".distcp")  # `.metadata` names the folder
        }
        for path in (run_dir / "ckpt").glob("*/manifest.json")
    }


def test_a_save_in_the_background_has_the_bits_of_the_step_at_which_it_began(uninterrupted, read_losses, read_events):
    waiting, going_on = uninterrupted["waiting"], uninterrupted["going on"]
    assert read_losses(going_on) == read_losses(waiting)
    assert sorted(shards(going_on)) == [f"step-{step:08d}" for step in (4, 8, 12, 14)]
    assert shards(going_on) == shards(waiting)
    saves = read_events(going_on, "checkpoint")
    assert [event["step"] for event in saves] == [4, 8, 12, 14]
    assert all(0 < event["data"]["stalled_s"] <= event["data"]["seconds"] for event in saves)


def test_the_training_goes_on_while_a_checkpoint_is_written(
    configs, uninterrupted, torchrun, tmp_path, read_events, read_losses
):
    run_dir = tmp_path / "run"
    # the manifest of step 4 is not written before step 7 is reported: a job that waited would not end
    done = torchrun.job(configs["going on"], run_dir, "--what", "slow-save", "--rank", 0, "--at-step", 4)
    assert done.returncode == 0, done.stderr[-4000:]
    order = [
        (event["kind"], event["step"]) for event in read_events(run_dir) if event["kind"] in ("step", "checkpoint")
    ]
    assert order.index(("step", 7)) < order.index(("checkpoint", 4)) <= order.index(("checkpoint", 8)) - 1
    assert read_losses(run_dir) == read_losses(uninterrupted["waiting"])
    assert shards(run_dir) == shards(uninterrupted["waiting"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["waiting", "going on"])
def test_a_disk_that_is_full_in_the_middle_of_a_save_costs_that_save_alone(
    name, configs, uninterrupted, torchrun, tmp_path, read_events, read_losses
):
    run_dir = tmp_path / "run"
    done = torchrun.job(configs[name], run_dir, "--what", "full-disk", "--rank", 0, "--at-step", 8)
    assert done.returncode == 0, done.stderr[-4000:]
    (warning,) = read_events(run_dir, "warning")
    assert warning["data"]["code"] == "save_failed"
    assert "No space left on device" in warning["data"]["message"]
    assert warning["data"]["message"].endswith("that of step 4 is kept")
    assert [event["step"] for event in read_events(run_dir, "checkpoint")] == [4, 12, 14]
    expected = shards(uninterrupted["waiting"])
    assert expected.pop("step-00000008")
    assert shards(run_dir) == expected
    assert not (run_dir / "ckpt" / "step-00000008").exists()  # its bytes are wanted elsewhere
    assert read_losses(run_dir) == read_losses(uninterrupted["waiting"])
