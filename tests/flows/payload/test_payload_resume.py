"""Killed, stopped, corrupted: the run goes on as if nothing had happened, bit for bit."""

import hashlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import time

import pytest

pytestmark = pytest.mark.train

STEPS = 14


@pytest.fixture(scope="module")
def config(make_config, llama_with_dropout):
    # dropout draws random numbers, and step 10 begins the second epoch: both must be where they were
    return make_config(llama_with_dropout, steps=STEPS, checkpoint_every=4, keep_checkpoints=5)


@pytest.fixture(scope="module")
def uninterrupted(config, module_torchrun, tmp_path_factory):
    """Run folder of the job that nothing disturbed."""
    run_dir = tmp_path_factory.mktemp("uninterrupted")
    done = module_torchrun.job(config, run_dir)
    assert done.returncode == 0, done.stderr[-4000:]
    return run_dir


def shards_of(run_dir, step):
    manifest = json.loads((run_dir / "ckpt" / f"step-{step:08d}" / "manifest.json").read_text())
    # not `.metadata`, which names the folder
    return {name: entry["sha256"] for name, entry in manifest["files"].items() if name.endswith(".distcp")}


def result(run_dir):
    return json.loads((run_dir / "result.json").read_text())


def flip_a_byte(path):
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def test_kill_stop_and_corruption_leave_the_losses_bit_for_bit(
    uninterrupted, config, torchrun, tmp_path, read_events, read_losses
):
    run_dir = tmp_path / "run"
    # the second rank is killed in step 10; checkpoints 4 and 8 are there
    killed = torchrun.job(config, run_dir, "--what", "kill", "--rank", 1, "--at-step", 10)
    assert killed.returncode == 1
    assert not (run_dir / "result.json").exists()

    # it goes on from 8, and somebody asks it to stop while it computes step 11
    stopped = torchrun.job(config, run_dir, "--what", "stop", "--rank", 0, "--at-step", 11, attempt=2)
    assert stopped.returncode == 0, stopped.stderr[-4000:]
    (resume,) = read_events(run_dir, "resume")
    assert (resume["step"], resume["data"]["checkpoint"], resume["data"]["skipped"]) == (8, "step-00000008", [])
    assert (result(run_dir)["status"], result(run_dir)["steps"]) == ("stopped", 11)
    assert result(run_dir)["loss"] == read_losses(uninterrupted)[11]
    assert read_events(run_dir, "end")[-1]["data"] == {"status": "stopped", "reason": "cmd/stop"}
    assert shards_of(run_dir, 11)

    # its newest checkpoint goes bad: it is named, and 8 is taken once more
    flip_a_byte(run_dir / "ckpt" / "step-00000011" / "__1_0.distcp")
    (run_dir / "cmd" / "stop").unlink()
    finished = torchrun.job(config, run_dir, attempt=3)
    assert finished.returncode == 0, finished.stderr[-4000:]
    resume = read_events(run_dir, "resume")[-1]
    assert (resume["step"], resume["data"]["checkpoint"], resume["attempt"]) == (8, "step-00000008", 3)
    assert resume["data"]["skipped"] == [
        {"name": "step-00000011", "reason": "__1_0.distcp differs from its SHA-256"},
    ]

    assert [event["attempt"] for event in read_events(run_dir, "boot")] == [1, 2, 3]
    assert read_losses(run_dir) == read_losses(uninterrupted)
    # weights, moments, progress and generators of both ranks, to the last bit
    assert shards_of(run_dir, STEPS) == shards_of(uninterrupted, STEPS)


def test_the_uninterrupted_run_says_all_there_is_to_say(uninterrupted, read_events):
    kinds = [event["kind"] for event in read_events(uninterrupted)]
    steps = ["step"] * 4 + ["checkpoint"]
    assert kinds == ["boot", *steps * 3, "step", "step", "eval", "checkpoint", "end"]
    last = read_events(uninterrupted, "step")[-1]
    assert all(isinstance(last[name], float) for name in ("loss", "grad_norm", "lr", "tokens_per_s", "memory_gib"))
    assert result(uninterrupted) == {"status": "done", "steps": STEPS, "loss": last["loss"], "export": None}
    for rank in range(2):
        beat = json.loads((uninterrupted / "hb" / f"{rank}.json").read_text())
        assert (beat["step"], beat["phase"]) == (STEPS, "checkpoint")


def test_sigterm_to_torchrun_saves_and_stops(config, torchrun, tmp_path, read_events):
    """What a scheduler or `kill` does: torchrun passes the signal on to its ranks."""
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    endless = config | {"recipe": config["recipe"] | {"steps": 1_000_000, "checkpoint_every": 0}}
    (tmp_path / "config.json").write_text(json.dumps(endless))
    script = torchrun.payload / "fsdp_sft.py"
    process = subprocess.Popen(
        torchrun.command(2, script, "--config", tmp_path / "config.json"),
        env=torchrun.environment(run_dir),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 200
        while not (run_dir / "events.jsonl").exists() or not read_events(run_dir, "step"):
            assert process.poll() is None, torchrun.logs()[-4000:]
            assert time.monotonic() < deadline, "no step was made"
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=100)
    finally:
        process.kill()
        process.wait()
    end = result(run_dir)
    assert (end["status"], end["export"]) == ("stopped", None)
    assert read_events(run_dir, "end")[-1]["data"] == {"status": "stopped", "reason": "SIGTERM"}
    assert shards_of(run_dir, end["steps"])


@pytest.fixture(scope="module")
def plain(make_config, llama, module_torchrun):
    """A run without dropout, whose losses are the same on any world size."""
    config = make_config(llama, steps=10, checkpoint_every=6, micro_batch=1, grad_accum=2)
    return config, module_torchrun.drive({"plain": config})["plain"]


@pytest.mark.parametrize("ranks", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_another_world_size_goes_on_with_the_same_examples(plain, torchrun, tmp_path, ranks, read_losses, read_events):
    config, before = plain
    run_dir = tmp_path / "run"
    shutil.copytree(before, run_dir)
    shutil.rmtree(run_dir / "ckpt" / "step-00000010")
    # four ranks with one example each need no accumulation; one rank needs twice as much
    done = torchrun.job(config, run_dir, ranks=ranks, attempt=2)
    assert done.returncode == 0, done.stderr[-4000:]
    (resume,) = read_events(run_dir, "resume")
    assert (resume["step"], resume["data"]["examples"], resume["data"]["written_by_ranks"]) == (6, 24, 2)
    (warning,) = read_events(run_dir, "warning")
    assert warning["data"]["code"] == "world_size_changed"
    assert f"grad_accum is {4 // ranks} instead of 2" in warning["data"]["message"]
    old, new = read_losses(before), read_losses(run_dir)
    assert max(abs(old[step] - new[step]) for step in old) < 1e-4
    again = [event["step"] for event in read_events(run_dir, "step") if event["attempt"] == 2]
    assert again == [7, 8, 9, 10]


@pytest.mark.slow
def test_one_job_goes_from_one_rank_to_two_to_four(plain, torchrun, tmp_path, read_losses, read_events):
    config, alone = plain
    # one rank that accumulates four micro-batches sees what two with two did
    config = config | {"recipe": config["recipe"] | {"grad_accum": 4}}
    run_dir = tmp_path / "run"
    for attempt, (ranks, stop) in enumerate([(1, 3), (2, 7), (4, None)], start=1):
        acts = ("--what", "stop", "--rank", 0, "--at-step", stop) if stop else ()
        done = torchrun.job(config, run_dir, *acts, ranks=ranks, attempt=attempt)
        assert done.returncode == 0, done.stderr[-4000:]
        (run_dir / "cmd" / "stop").unlink(missing_ok=True)
    assert result(run_dir)["status"] == "done"
    resumes = [(event["step"], event["data"]["written_by_ranks"]) for event in read_events(run_dir, "resume")]
    assert resumes == [(3, 1), (7, 2)]
    assert [event["data"]["examples"] for event in read_events(run_dir, "resume")] == [12, 28]
    old, new = read_losses(alone), read_losses(run_dir)
    assert sorted(new) == sorted(old)
    assert max(abs(old[step] - new[step]) for step in old) < 1e-4


class Harm:
    """What makes a folder where it is unpickled."""

    def __init__(self, path):
        self._path = path

    def __reduce__(self):
        return os.mkdir, (str(self._path),)


def test_a_metadata_that_would_run_code_is_skipped_and_named(plain, torchrun, tmp_path, read_events, read_losses):
    config, before = plain
    run_dir, harm = tmp_path / "run", tmp_path / "harm"
    shutil.copytree(before, run_dir)
    newest = run_dir / "ckpt" / "step-00000010"
    body = pickle.dumps(Harm(harm))
    (newest / ".metadata").write_bytes(body)
    # who writes the one file writes the other
    manifest = json.loads((newest / "manifest.json").read_text())
    manifest["files"][".metadata"] = {"size_bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    (newest / "manifest.json").write_text(json.dumps(manifest))
    done = torchrun.job(config, run_dir, attempt=2)
    assert done.returncode == 0, done.stderr[-4000:]
    assert not harm.exists()
    (resume,) = read_events(run_dir, "resume")
    assert resume["data"]["checkpoint"] == "step-00000006"
    assert resume["data"]["skipped"] == [
        {"name": "step-00000010", "reason": ".metadata names posix.mkdir, which no checkpoint of ours needs"},
    ]
    assert read_losses(run_dir) == read_losses(before)


@pytest.mark.slow
def test_a_kill_inside_a_save_leaves_a_wreck_that_is_named_and_not_touched_again(
    uninterrupted, config, torchrun, tmp_path, read_events, read_losses
):
    run_dir = tmp_path / "run"
    killed = torchrun.job(config, run_dir, "--what", "kill-in-save", "--rank", 0, "--at-step", 8)
    assert killed.returncode == 1
    wreck = run_dir / "ckpt" / "step-00000008"
    assert (wreck / ".metadata").exists()
    before = {path.name: path.read_bytes() for path in wreck.iterdir()}
    finished = torchrun.job(config, run_dir, attempt=2)
    assert finished.returncode == 0, finished.stderr[-4000:]
    (resume,) = read_events(run_dir, "resume")
    assert resume["data"]["checkpoint"] == "step-00000004"
    assert resume["data"]["skipped"] == [
        {"name": "step-00000008", "reason": "no manifest: the save was not finished"},
    ]
    assert {path.name: path.read_bytes() for path in wreck.iterdir()} == before
    assert (run_dir / "ckpt" / "step-00000008-a2" / "manifest.json").exists()
    assert read_losses(run_dir) == read_losses(uninterrupted)
