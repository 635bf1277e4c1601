"""Closing the loop on real failures: two gloo ranks, the real runner, one approval for each changed launch."""

import json
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import MemorySaver

from contracts.run import TERMINAL_STATES
from engines.review.engine import review_paths
from runners import Home, LocalRunner
from tests.faults.faults import FAULTS
from tests.flows.conftest import Bench, Thread
from tests.flows.matrix.tiny import save_model, write_data

PATIENCE_S = 600.0
"""How long a run may take on a machine that is busy; none takes half a minute on an idle one."""

pytestmark = [pytest.mark.train, pytest.mark.timeout(1800)]

FIXED_PORT = '''\
"""Meets at a port of its own."""

import os
import sys

import torch
import torch.distributed as dist

os.environ["MASTER_ADDR"] = "127.0.0.1"
os.environ["MASTER_PORT"] = sys.argv[1]
os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"
dist.init_process_group("gloo")
total = torch.ones(1)
dist.all_reduce(total)
print("ranks that met:", int(total.item()), flush=True)
os._exit(0)  # a thread of gloo may abort an interpreter that goes away
'''
MENDED = ("rank_guard", "uneven_batches", "order_mismatch", "early_stop", "slow_rank0")
MENDED += ("loader_worker_killed", "shared_memory_full", "file_limit_train", "truncated_checkpoint", "memory_limit")
MENDED += ("port_in_use", "missing_environment", "mesh_too_large", "sampler_for_one", "rank_of_slurm", "unknown_host")
MENDED += ("full_weights", "scheduler_resumed", "optimizer_before_shard", "mixed_tensor_dtensor", "other_method")
MENDED += ("module_list_unit", "old_api", "frozen_unit", "diverged")
"""Recoverable faults of the laboratory, of every kind of cause; some twenty more have a cure too."""


def approve(thread: Any, bench: Any) -> str:
    """Approve what waits, let it run to its end, and return the run's state."""
    thread.answer(bench.decision(thread.question["launch_hash"]))
    runner, limit = LocalRunner(bench.home), time.monotonic() + PATIENCE_S
    while (record := runner.status(thread.state["run_id"])).state not in TERMINAL_STATES:
        assert time.monotonic() < limit, f"still {record.state}"
        time.sleep(0.2)
    thread.answer({})
    return str(record.state)


def events(bench: Any, run_id: str) -> list[dict[str, Any]]:
    path = bench.home.runs / run_id / "events.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_ranks_that_met_at_a_taken_port_meet_at_the_launchers(thread: Any, bench: Any) -> None:
    script = bench.folder / "train.py"
    script.write_text(FIXED_PORT)
    with socket.create_server(("", 0)) as holder:
        asked = {"path": str(script), "args": [str(holder.getsockname()[1])]}
        request = {"intent": "run", "script": asked, "hardware": {"device": "cpu", "ranks": 2, "cores": 1}}
        thread.give(request=request | {"interpreter": sys.executable})
        assert approve(thread, bench) == "failed"
        made = thread.question["amendment"]
        assert made["cause"] == "master-port-in-use"
        assert '-os.environ["MASTER_PORT"] = sys.argv[1]' in made["diff"].splitlines()
        assert approve(thread, bench) == "done"
    assert [told["outcome"] for told in thread.state["report"]["rounds"]] == ["held"]
    assert "ranks that met: 2" in LocalRunner(bench.home).logs(thread.state["run_id"])


def test_a_training_that_diverged_goes_on_from_before_the_first_bad_step(thread: Any, bench: Any) -> None:
    save_model(bench.folder / "tiny")
    write_data(bench.folder / "train.jsonl")
    # AdamW multiplies a matrix by 1 - lr * weight_decay in each step: by -10 here, until it overflows
    recipe = {"steps": 28, "seq_len": 32, "lr": 0.011, "weight_decay": 1000.0, "min_lr_ratio": 1.0, "export": False}
    recipe |= {"checkpoint_every": 4, "keep_checkpoints": 6, "param_dtype": "fp32"}
    request = bench.request | {"model": {"path": str(bench.folder / "tiny")}, "interpreter": sys.executable}
    thread.give(request=request | {"hardware": {"device": "cpu", "ranks": 2, "cores": 1}, "recipe": recipe})
    assert approve(thread, bench) == "failed"
    first = thread.state["amendments"][0]["after_run"]
    before = events(bench, first)
    bad = next(event["step"] for event in before if event["kind"] == "warning")
    saved = max(event["step"] for event in before if event["kind"] == "checkpoint" and event["step"] < bad)
    made = thread.question["amendment"]
    assert (made["cause"], made["kind"], made["settings"]["recipe.lr"]) == ("training-diverged", "recipe", 0.0011)
    assert (made["resumes_step"], Path(made["resumes_from"]).name) == (saved, f"step-{saved:08d}")
    inputs = thread.question["launch"]["inputs"]
    assert f"{made['resumes_from']}/manifest.json" in [e["path"] for e in inputs if e["role"] == "checkpoint"]
    assert approve(thread, bench) == "done"
    after = events(bench, thread.state["run_id"])
    [resumed] = [event for event in after if event["kind"] == "resume"]
    assert (resumed["step"], resumed["data"]["checkpoint"]) == (saved, f"step-{saved:08d}")
    losses = {event["step"]: event["loss"] for event in after if event["kind"] == "step"}
    assert list(losses) == list(range(saved + 1, 29))
    # the first step sees the same weights and the same examples as the run that failed did
    assert losses[saved + 1] == next(e["loss"] for e in before if e["kind"] == "step" and e["step"] == saved + 1)
    assert [told["outcome"] for told in thread.state["report"]["rounds"]] == ["held"]
    kept = thread.state["plan"]["recipe"]
    assert (kept["weight_decay"], kept["steps"], kept["seq_len"]) == (1000.0, 28, 32)


def silence(script: Path) -> None:
    """Let the user have silenced what the review would stop, so that the run fails of it."""
    for _ in range(3):
        found = [f for f in review_paths((str(script),), None).findings if f.severity == "error"]
        lines = script.read_text().split("\n")
        for line in {finding.line for finding in found}:
            rules = ", ".join(sorted({finding.rule for finding in found if finding.line == line}))
            lines[line - 1] += f"  # fsdp: ignore[{rules}]"
        script.write_text("\n".join(lines))


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_four_of_five_failures_end_in_a_finished_job_after_one_approval(tmp_path: Path) -> None:
    ended: dict[str, str] = {}
    for fault in FAULTS:
        if fault.name in MENDED:
            folder = tmp_path / fault.name
            (folder / "job").mkdir(parents=True)
            bench = Bench(Home(folder / "home"), folder)
            with fault.at(folder / "job") as request:
                ended[fault.name] = closed(Thread(MemorySaver(), bench.home), bench, request)
    assert len(ended) == len(MENDED) >= 12
    done = [name for name, how in ended.items() if how == "done"]
    assert len(done) >= 0.8 * len(ended), {name: how for name, how in ended.items() if how != "done"}


def closed(thread: Any, bench: Any, request: dict[str, Any]) -> str:
    """Run a fault, approve the change that is put forward, and return how that ended."""
    if "script" in request:
        silence(Path(request["script"]["path"]))
    thread.give(request={"restart": {"max_restarts": 0}, "interpreter": sys.executable} | request)
    if thread.state["phase"] != "awaiting_approval":
        return f"not launched: {thread.state['error']}"
    state = approve(thread, bench)
    if thread.state["phase"] != "awaiting_approval":
        causes = [cause["cause"] for cause in (thread.state["diagnosis"] or {}).get("causes", ())]
        return f"{state}, no change: {causes[:2]} {thread.state['error']}"
    state = approve(thread, bench)
    return state if state == "done" else f"{state}: {thread.state['amendments'][0]['why']}: {thread.state['run']}"
