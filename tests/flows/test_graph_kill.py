"""kill -9 between the steps: the thread is in SQLite, the job has its own processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from graph.checkpoint import open_saver

# One process that drives a thread and dies where the test says, without any clean-up.
CHILD = """
import json, os, signal, sys
from langgraph.types import Command
from contracts.settings import Settings
from graph.build import builder
from graph.checkpoint import open_saver
from runners import Home, LocalRunner

home, thread_id, value, where = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), sys.argv[4]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

if where == "after submit":
    submit = LocalRunner.submit
    LocalRunner.submit = lambda *args: (submit(*args), die())
with open_saver(Home(home)) as saver:
    graph = builder.compile(checkpointer=saver)
    config = {"configurable": {"thread_id": thread_id}}
    pending = graph.get_state(config).interrupts
    given = Command(resume={pending[0].id: value}) if pending else {"request": value}
    graph.invoke(given, config, context=Settings(home=home))
    die()
"""


def drive_and_die(home: Path, value: Any, where: str = "at the end") -> None:
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    call = [sys.executable, "-c", CHILD, str(home), "t-1", json.dumps(value), where]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_each_step_in_a_process_that_was_killed_after_it(bench: Any, thread_on: Any) -> None:
    bench.switch("hold")
    drive_and_die(bench.home.root, bench.request)
    with open_saver(bench.home) as saver:
        thread = thread_on(saver)
        assert thread.state["phase"] == "awaiting_approval"
        decision = bench.decision(thread.question["launch_hash"])
    drive_and_die(bench.home.root, decision)
    with open_saver(bench.home) as saver:
        thread = thread_on(saver)
        assert thread.state["phase"] == "running"
        run_id = thread.question["run_id"]
        bench.switch("hold", False)
        assert bench.wait(run_id).state == "done"
        assert thread.answer("look")["phase"] == "done"
        assert Path(thread.state["report"]["path"]).exists()
    assert bench.starts == [run_id]


def test_killed_between_the_start_of_the_job_and_its_checkpoint(bench: Any, thread_on: Any) -> None:
    bench.switch("hold")
    drive_and_die(bench.home.root, bench.request)
    with open_saver(bench.home) as saver:
        decision = bench.decision(thread_on(saver).question["launch_hash"])
    drive_and_die(bench.home.root, decision, "after submit")
    with open_saver(bench.home) as saver:
        thread = thread_on(saver)
        assert thread.state.get("run_id") is None
        thread.say("are you there?")  # new input drops what was pending; the decision is not lost
        assert thread.state["phase"] == "running"
        run_id = thread.state["run_id"]
        bench.switch("hold", False)
        assert bench.wait(run_id).state == "done"
        assert thread.answer("look")["phase"] == "done"
    assert bench.starts == [run_id]


def test_threads_are_private_and_kept_side_by_side(bench: Any, thread_on: Any) -> None:
    with open_saver(bench.home) as first, open_saver(bench.home) as second:
        one, two = thread_on(first, "t-1"), thread_on(second, "t-2")
        one.give(request=bench.request)
        two.give(request=bench.request)
        assert one.question["launch_hash"] == two.question["launch_hash"]
        assert bench.home.threads.stat().st_mode & 0o077 == 0
        two.answer(bench.decision(two.question["launch_hash"], "reject", thread_id="t-2"))
        assert (one.state["phase"], two.state["phase"]) == ("awaiting_approval", "declined")
