"""Floors of the watch limits by hand arithmetic, and who may be restarted."""

import json
from pathlib import Path

import pytest

from contracts.launch import RestartPolicy, WatchLimits
from contracts.recipe import Recipe
from contracts.request import Request
from runners import Home, prepare_launch
from runners.endurance import restart_policy, watch_limits
from runners.launching import evidence_constants


def test_without_a_prediction_a_step_has_ten_minutes() -> None:
    limits = watch_limits(0, None)
    assert (limits.boot_s, limits.step_s, limits.checkpoint_s, limits.eval_s) == (1800, 600, 600, 600)


def test_a_large_model_has_longer_to_boot_and_to_save() -> None:
    # 16 GB of weights at 50 MB/s: 320 s; its checkpoint is six times as large: 1920 s
    limits = watch_limits(16_000_000_000, 30.0)
    assert (limits.boot_s, limits.step_s, limits.checkpoint_s) == (1800 + 320, 600, 600 + 1920)


def test_a_quick_step_has_five_minutes_and_a_slow_one_twenty_times_itself() -> None:
    assert watch_limits(0, 0.5).step_s == 300
    assert watch_limits(0, 90.0).eval_s == 1800


def test_restarts_end_after_a_week_or_after_twice_the_predicted_time() -> None:
    assert restart_policy(None).give_up_after_s == 7 * 24 * 3600
    assert restart_policy(10 * 24 * 60).give_up_after_s == 20 * 24 * 3600
    assert restart_policy(None).max_restarts > 0


def test_only_cuda_jobs_let_nccl_write_its_record() -> None:
    assert set(evidence_constants("cpu")) == {"PYTHONFAULTHANDLER", "TORCH_FR_BUFFER_SIZE"}
    assert evidence_constants("cuda")["TORCH_FR_DUMP_TEMP_FILE"].startswith("{attempt_dir}/diag/")


@pytest.fixture
def asked(tmp_path: Path) -> dict:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "llama"}')
    (model / "model.safetensors").write_bytes(b"\0" * 64)
    (model / "tokenizer.json").write_text("{}")
    (tmp_path / "train.jsonl").write_text('{"text": "c"}\n')
    return {
        "intent": "run",
        "model": {"path": str(model)},
        "data": {"train": str(tmp_path / "train.jsonl")},
        "hardware": {"ranks": 2, "device": "cpu"},
    }


def _launch(asked: dict, tmp_path: Path, **known: float):
    return prepare_launch(Request.model_validate(asked), Recipe(steps=100), Home(tmp_path / "home"), **known).launch


def test_a_train_job_is_restarted_and_watched_by_what_was_predicted(asked: dict, tmp_path: Path) -> None:
    launch = _launch(asked, tmp_path, minutes=100.0)  # 60 s a step
    assert launch.restart == restart_policy(100.0)
    assert launch.watch.step_s == 1200
    assert launch.env["TORCH_FR_BUFFER_SIZE"] == "2000"


def test_a_request_has_the_last_word(asked: dict, tmp_path: Path) -> None:
    asked |= {"restart": {"max_restarts": 1}, "watch": {"step_s": 5}}
    launch = _launch(asked, tmp_path)
    assert launch.restart == RestartPolicy(max_restarts=1)
    assert launch.watch == WatchLimits(step_s=5)
    assert json.loads(launch.model_dump_json())["restart"]["max_restarts"] == 1


def test_a_script_is_not_restarted_unless_somebody_says_that_it_resumes(asked: dict, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("print(1)\n")
    asked |= {"script": {"path": str(tmp_path / "mine.py")}}
    assert _launch(asked, tmp_path).restart.max_restarts == 0
    assert _launch(asked | {"restart": {"max_restarts": 2}}, tmp_path).restart.max_restarts == 2
