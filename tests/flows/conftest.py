"""Parts of a launch that is real up to the interpreter, and a hand on the graph.

The runner, its supervisor and all files are the real ones. In the place of the training
environment's Python stands a short program that keeps the payload's contract (events,
result, exit status) without torch, so that every branch of the graph can be walked in
seconds. One flow, marked `train`, runs the real payload.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import MemorySaver
from langgraph.types import Command

from contracts.approval import Approval
from contracts.canonical import seal
from contracts.run import TERMINAL_STATES, RunRecord
from contracts.settings import Settings
from runners import Home, LocalRunner

PATIENCE_S = 120
"""A loaded machine is slow; a test that waits longer than this has found a fault."""

STAND_IN = '''#!{python}
"""Stands for the training interpreter: the payload's contract without the training."""
import json, os, pathlib, sys, time
here, run = pathlib.Path(__file__).parent, pathlib.Path(os.environ["FSDP_RUN_DIR"])
attempt = int(os.environ["FSDP_ATTEMPT"])
with open(here / "starts", "a") as stream:
    stream.write(run.name + "\\n")
steps = json.loads(pathlib.Path(sys.argv[sys.argv.index("--config") + 1]).read_text())["recipe"]["steps"]
with open(run / "events.jsonl", "a") as events:
    for step in range(1, steps + 1):
        line = dict(kind="step", time=time.time(), attempt=attempt, step=step, loss=8.0 / step, tokens_per_s=1000.0)
        print(json.dumps(line), file=events, flush=True)
    print(json.dumps(dict(kind="checkpoint", time=time.time(), attempt=attempt, step=steps)), file=events, flush=True)
stopped = False
while (here / "hold").exists() and not stopped:
    time.sleep(0.05)
    stopped = (run / "cmd" / "stop").exists()
if (here / "fail").exists():
    sys.exit("ValueError: the data ran out")
(run / "export").mkdir(exist_ok=True)
result = dict(status="stopped" if stopped else "done", steps=steps, loss=8.0 / steps, export=str(run / "export"))
(run / "result.json").write_text(json.dumps(result))
'''


@dataclass(frozen=True)
class Bench:
    """A home folder, a request that can be run, and switches of its job."""

    home: Home
    folder: Path

    @property
    def request(self) -> dict[str, Any]:
        return {
            "intent": "run",
            "method": "full",
            "model": {"path": str(self.folder / "model")},
            "data": {"train": str(self.folder / "train.jsonl")},
            "hardware": {"device": "cpu", "ranks": 1},
            "recipe": {"steps": 4, "seq_len": 16},
            "restart": {"max_restarts": 0},  # a failure is the end at once
            "interpreter": str(self.folder / "bin" / "python"),
        }

    def switch(self, name: str, on: bool = True) -> None:
        path = self.folder / "bin" / name
        path.touch() if on else path.unlink(missing_ok=True)

    @property
    def starts(self) -> list[str]:
        path = self.folder / "bin" / "starts"
        return path.read_text().split() if path.exists() else []

    def wait(self, run_id: str) -> RunRecord:
        runner, limit = LocalRunner(self.home), time.monotonic() + PATIENCE_S
        while (record := runner.status(run_id)).state not in TERMINAL_STATES:
            assert time.monotonic() < limit, f"still {record.state}"
            time.sleep(0.1)
        return record

    def decision(self, launch_hash: str, decision: str = "approve", key: bytes | None = None, **more: str) -> dict:
        record = Approval.model_validate(
            {
                "launch_hash": launch_hash,
                "decision": decision,
                "approver": "ada",
                "decided_at": "2026-01-02T03:04:05+00:00",
                "via": "cli",
                "thread_id": "t-1",
                **more,
            }
        ).model_dump(mode="json")
        return record | {"mac": seal(record, key or self.home.secret("approve"))}


class Thread:
    """One thread of the graph, driven as a door drives it."""

    def __init__(self, saver: Any, home: Home, thread_id: str = "t-1") -> None:
        from graph.build import builder

        self.graph = builder.compile(checkpointer=saver)
        self.config: Any = {"configurable": {"thread_id": thread_id}}
        self.context = Settings(home=str(home.root))

    def give(self, **given: Any) -> dict[str, Any]:
        return self.graph.invoke(given, self.config, context=self.context)

    def say(self, text: str) -> dict[str, Any]:
        return self.give(messages=[{"role": "user", "content": text}])

    def answer(self, value: Any) -> dict[str, Any]:
        [pending] = self.pending
        return self.graph.invoke(Command(resume={pending.id: value}), self.config, context=self.context)

    @property
    def state(self) -> dict[str, Any]:
        return self.graph.get_state(self.config).values

    @property
    def pending(self) -> list[Any]:
        return list(self.graph.get_state(self.config).interrupts)

    @property
    def question(self) -> dict[str, Any]:
        [pending] = self.pending
        return pending.value

    @property
    def last_words(self) -> str:
        return str(self.state["messages"][-1].text)


def make_model(folder: Path) -> Path:
    """Write a model folder that can be planned for; no weights that anything could train."""
    model = folder / "model"
    model.mkdir()
    shape = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "vocab_size": 256,
        "tie_word_embeddings": True,
    }
    (model / "config.json").write_text(json.dumps(shape))
    (model / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    (model / "tokenizer.json").write_text("{}")
    return model


def make_bench(folder: Path) -> Bench:
    """Write a model folder, data and an interpreter; nothing of it needs torch."""
    make_model(folder)
    (folder / "train.jsonl").write_text('{"prompt": "a", "response": "b"}\n' * 8)
    (folder / "bin").mkdir()
    python = folder / "bin" / "python"
    python.write_text(STAND_IN.replace("{python}", sys.executable))
    python.chmod(0o755)
    return Bench(Home(folder / "home"), folder)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = make_bench(tmp_path)
    yield made
    made.switch("hold", False)  # whatever a test left running ends by itself


@pytest.fixture(scope="session")
def bench_in() -> Callable[[Path], Bench]:
    """Make a bench in a folder that outlives a test."""
    return make_bench


@pytest.fixture
def thread(bench: Bench) -> Thread:
    return Thread(MemorySaver(), bench.home)


@pytest.fixture
def thread_on(bench: Bench) -> Callable[..., Thread]:
    """Open a thread on a saver of the test's own."""
    return lambda saver, thread_id="t-1": Thread(saver, bench.home, thread_id)
