"""A run's curves as TensorBoard's own reader sees them, written without torch or TensorFlow."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.job_shop import JobShop, shop

__all__ = ["shop"]

CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "jobs-tensorboard.schema.json"
JOB = """\
import json, os, pathlib, sys, time
run, attempt = pathlib.Path(os.environ["FSDP_RUN_DIR"]), int(os.environ["FSDP_ATTEMPT"])
def say(kind, step, **more):
    with open(run / "events.jsonl", "a") as log:
        log.write(json.dumps({"kind": kind, "time": time.time(), "attempt": attempt, "step": step, **more}) + "\\n")
say("boot", 0, memory_gib=0.2)
if attempt > 1:
    say("resume", 2)
for step in range(1 if attempt == 1 else 3, 6):
    loss = float("nan") if step == 4 else 10.0 * attempt + step
    say("step", step, loss=loss, grad_norm=0.5, lr=1e-4, tokens_per_s=100.0, memory_gib=0.25)
    if step == 2:
        say("eval", step, loss=1.5)
        say("checkpoint", step, data={"name": "step-2", "seconds": 0.75})
    if step == 4 and attempt == 1:
        sys.exit(7)
(run / "result.json").write_text(json.dumps({"status": "done", "steps": 5, "loss": 25.0}))
"""


def _cli(shop: JobShop, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"FSDP_AGENT_HOME": str(shop.home.root)}
    return subprocess.run([CLI, *words], capture_output=True, text=True, timeout=120, env=environment)


def _curves(folder: Path) -> dict[str, dict[int, float]]:
    read = EventAccumulator(str(folder)).Reload()
    tags: list[str] = read.Tags()["scalars"]
    return {tag: {point.step: point.value for point in read.Scalars(tag)} for tag in tags}


@pytest.fixture
def run_id(shop: JobShop) -> str:
    run = shop.submit(shop.launch(JOB))
    shop.wait(run.run_id, "failed")
    shop.runner.resume(run.run_id)
    shop.wait(run.run_id, "done")
    return run.run_id


def test_tensorboard_reads_every_curve_and_the_steps_after_a_resume_once(
    shop: JobShop, run_id: str, tmp_path: Path
) -> None:
    result = _cli(shop, "jobs", "tensorboard", run_id, "--to", str(tmp_path / "tb"), "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    written: Any = json.loads(result.stdout)
    jsonschema.validate(written, json.loads(SCHEMA.read_text()))
    curves = _curves(tmp_path / "tb" / run_id)
    assert sorted(curves) == written["tags"]
    # steps 3 and 4 were done again by the second start; step 4 has no finite loss
    assert curves["train/loss"] == {1: 11.0, 2: 12.0, 3: 23.0, 5: 25.0}
    assert curves["train/grad_norm"] == dict.fromkeys(range(1, 6), 0.5)
    assert curves["train/tokens_per_s"][5] == 100.0
    assert curves["eval/loss"] == {2: 1.5}
    assert curves["checkpoint/seconds"] == {2: 0.75}
    assert set(curves) == {f"train/{name}" for name in ("loss", "grad_norm", "lr", "tokens_per_s", "memory_gib")} | {
        "eval/loss",
        "checkpoint/seconds",
    }


def test_written_again_it_is_the_same_file(shop: JobShop, run_id: str, tmp_path: Path) -> None:
    words = ("jobs", "tensorboard", run_id, "--to", str(tmp_path / "tb"))
    assert _cli(shop, *words).returncode == 0
    [before] = (tmp_path / "tb" / run_id).iterdir()
    content = before.read_bytes()
    again = _cli(shop, *words)
    assert "12 events" in again.stdout
    assert f"tensorboard --logdir {tmp_path / 'tb'}" in again.stdout
    assert [path.read_bytes() for path in (tmp_path / "tb" / run_id).iterdir()] == [content]


def test_it_is_written_while_the_run_goes_on(shop: JobShop, tmp_path: Path) -> None:
    run = shop.submit(shop.trainer(60))
    result = _cli(shop, "jobs", "tensorboard", run.run_id, "--to", str(tmp_path), "--follow", "--json")
    assert result.returncode == 0, result.stdout
    assert list(_curves(tmp_path / run.run_id)["train/loss"]) == list(range(1, 61))


def test_without_the_library_it_says_how_to_get_it(shop: JobShop, run_id: str, tmp_path: Path) -> None:
    (tmp_path / "hidden" / "tensorboard").mkdir(parents=True)
    (tmp_path / "hidden" / "tensorboard" / "__init__.py").write_text("raise ImportError('No module named tensorboard')")
    environment = os.environ | {"FSDP_AGENT_HOME": str(shop.home.root), "PYTHONPATH": str(tmp_path / "hidden")}
    words = [CLI, "jobs", "tensorboard", run_id, "--to", str(tmp_path / "tb"), "--json"]
    result = subprocess.run(words, capture_output=True, text=True, timeout=120, env=environment)
    assert result.returncode == 3
    error = json.loads(result.stdout)["error"]
    assert (error["code"], error["hint"]) == ("tensorboard_missing", 'pip install "fsdp-agent[tensorboard]"')
    assert list((tmp_path / "tb" / run_id).iterdir()) == []


def test_neither_torch_nor_tensorflow_is_imported(shop: JobShop, run_id: str, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom contracts.settings import Settings\n"
        "from interfaces.service_tensorboard import write_tensorboard\n"
        f"write_tensorboard(Settings(home={str(shop.home.root)!r}), {run_id!r}, Path({str(tmp_path / 'tb')!r}))\n"
        "print(sorted({'torch', 'tensorflow', 'langgraph'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr
