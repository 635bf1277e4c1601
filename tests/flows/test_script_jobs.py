"""Users' own scripts as jobs: launchers, heartbeats, and scripts that behave badly."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from contracts.launch import LaunchRequest, ResourceLimits, WatchLimits
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.run import RunRecord
from runners import LocalRunner, prepare_launch
from tests.job_shop import JobShop, shop
from tests.script_jobs import ACCELERATE_EXAMPLE, FSDP2_EXAMPLE

__all__ = ["shop"]

LIMITS = {"boot_s": 300.0, "step_s": 60.0, "checkpoint_s": 300.0, "eval_s": 300.0, "factor": 1.0}


def launch_of(shop: JobShop, body: str, *args: str, ranks: int = 1, **request: Any) -> LaunchRequest:
    """A launch as the agent prepares it for a user's script in a folder of its own."""
    folder = shop.folder / "mine"
    folder.mkdir(exist_ok=True)
    script = folder / "train.py"
    if not script.exists() or script.read_text() != body:
        script.write_text(body)
    asked = {"path": str(script), "args": args} | request.pop("script", {})
    hardware = {"device": "cpu", "ranks": ranks} | request.pop("hardware", {})
    given = Request.model_validate({"intent": "run", "script": asked, "hardware": hardware, **request})
    return prepare_launch(given, Recipe(), shop.home, sys.executable).launch


def run_of(shop: JobShop, launch: LaunchRequest, key: str = "key") -> RunRecord:
    return shop.wait(shop.submit(launch, key).run_id)


def losses(text: str) -> list[str]:
    return [line.split()[-1] for line in text.splitlines() if " loss " in line]


@pytest.mark.train
@pytest.mark.slow
def test_an_fsdp2_script_on_two_ranks_two_of_them_at_once_as_without_the_runner(shop: JobShop) -> None:
    body = FSDP2_EXAMPLE.format(imports="import fsdp_heartbeat", beat="fsdp_heartbeat.beat(step, loss=mean)")
    launch = launch_of(shop, body, "12", ranks=2, hardware={"cores": 1})
    runs = [shop.submit(launch, key) for key in ("one", "two")]
    ends = [shop.wait(run.run_id) for run in runs]
    assert [(end.state, end.exit_code, end.step) for end in ends] == [("done", 0, 12)] * 2
    began = [e["time"] for run in runs for e in shop.journal(run.run_id) if e["kind"] == "started"]
    ended = [e["time"] for run in runs for e in shop.journal(run.run_id) if e["kind"] == "end"]
    assert max(began) < min(ended), "the two did not run at once"
    shown = [losses(shop.runner.logs(run.run_id, rank=0)) for run in runs]
    alone = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", *launch.argv[-2:]],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": launch.env["PYTHONPATH"], "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"},
    )
    assert len(shown[0]) == 12
    assert shown[0] == shown[1] == losses(alone.stdout)
    page = shop.runner.events(runs[0].run_id)
    assert [event.step for event in page.events] == list(range(1, 13))
    assert [repr(event.loss) for event in page.events] == shown[0]
    beats = [json.loads((shop.run_dir(runs[0].run_id) / "hb" / f"{rank}.json").read_text()) for rank in (0, 1)]
    assert [(beat["step"], beat["phase"]) for beat in beats] == [(12, "step")] * 2


@pytest.mark.train
@pytest.mark.slow
def test_an_accelerate_launch_script_with_fsdp_version_2(shop: JobShop) -> None:
    pytest.importorskip("accelerate", reason="the extra `train` has it")
    options = ("--use_fsdp", "--fsdp_version=2", "--fsdp_auto_wrap_policy=NO_WRAP", "--mixed_precision=no")
    script = {"launcher": "accelerate", "launcher_args": options}
    launch = launch_of(shop, ACCELERATE_EXAMPLE, "6", ranks=2, script=script, hardware={"cores": 1})
    runs = [shop.submit(launch, key) for key in ("one", "two")]  # and a port for each
    ends = [shop.wait(run.run_id) for run in runs]
    assert [(end.state, end.step) for end in ends] == [("done", 6)] * 2, shop.runner.logs(ends[0].run_id)
    assert "step 6 of 2 ranks" in shop.runner.logs(ends[0].run_id, rank=0)


def test_a_module_and_a_program_that_is_no_python(shop: JobShop) -> None:
    package = shop.folder / "mine" / "trainer"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "train.py").write_text("import sys\nfrom . import part\nprint('trains with', sys.argv[1:], part.NAME)\n")
    (package / "part.py").write_text("NAME = 'its part'\n")
    config = shop.folder / "mine" / "debug.toml"
    config.write_text("steps = 1\n")
    request = {
        "intent": "run",
        "script": {
            "module": "trainer.train",
            "workdir": str(shop.folder / "mine"),
            "args": ["--job.config_file=debug.toml"],
            "launcher": "direct",
        },
        "hardware": {"device": "cpu"},
    }
    launch = prepare_launch(Request.model_validate(request), Recipe(), shop.home, sys.executable).launch
    approved = {(entry.role, Path(entry.path).name) for entry in launch.inputs}
    assert {("script", "train.py"), ("script", "part.py"), ("script", "__init__.py")} <= approved
    assert {("config", "debug.toml"), ("support", "fsdp_heartbeat.py")} <= approved
    end = run_of(shop, launch)
    assert end.state == "done", end.reason
    assert "trains with ['--job.config_file=debug.toml'] its part" in shop.runner.logs(end.run_id)
    shell = shop.folder / "mine" / "job.sh"
    shell.write_text('echo "run $FSDP_RUN_ID with $1"\n')
    request["script"] = {"path": str(shell), "args": ["--lr=1e-4"], "launcher": "direct"}
    end = run_of(
        shop,
        prepare_launch(Request.model_validate(request | {"interpreter": "/bin/sh"}), Recipe(), shop.home).launch,
        "shell",
    )
    assert f"run {end.run_id} with --lr=1e-4" in shop.runner.logs(end.run_id)


def test_a_changed_import_is_not_started(shop: JobShop) -> None:
    helper = shop.folder / "mine" / "helper.py"
    helper.parent.mkdir()
    helper.write_text("VALUE = 1\n")
    launch = launch_of(shop, "import helper\nprint(helper.VALUE)\n", script={"launcher": "direct"})
    approval = shop.approve(launch)
    helper.write_text("VALUE = 2\n")
    with pytest.raises(Exception, match=r"helper\.py"):
        shop.runner.submit(launch, approval, "key")


def test_a_file_laid_beside_the_heartbeat_module_is_not_imported(shop: JobShop) -> None:
    launch = launch_of(shop, "import torch\n", script={"launcher": "direct"})
    Path(launch.env["PYTHONPATH"], "torch.py").write_text("print('foreign')\n")
    with pytest.raises(Exception, match=r"torch\.py lies beside the approved support"):
        shop.submit(launch)


def test_the_import_alone_tells_a_hang_and_a_script_at_work_goes_on(shop: JobShop) -> None:
    works = "import fsdp_heartbeat, time\nend = time.time() + 7\nn = 0\nwhile time.time() < end:\n    n += 1\n"
    watch = WatchLimits.model_validate(LIMITS)
    at_work = shop.submit(launch_of(shop, works, script={"launcher": "direct"}, watch=watch), "works")
    assert shop.wait(at_work.run_id).state == "done"
    watched = [entry["by"] for entry in shop.journal(at_work.run_id) if entry["kind"] == "watched"]
    assert watched == ["heartbeats"]
    hangs = "import fsdp_heartbeat, threading\nthreading.Event().wait()\n"
    watch = WatchLimits.model_validate(LIMITS | {"boot_s": 4.0, "step_s": 3.0})
    end = run_of(shop, launch_of(shop, hangs, script={"launcher": "direct"}, watch=watch), "hangs")
    assert end.state == "failed"
    assert end.reason.startswith("hung: rank 0 gave no sign of life for"), end.reason


@pytest.mark.slow
def test_without_a_heartbeat_the_logs_are_watched_and_it_is_said(shop: JobShop) -> None:
    watch = WatchLimits.model_validate(LIMITS | {"log_s": 36.0})
    program = "import time\nprint('begins', flush=True)\ntime.sleep(3600)\n"
    shop.patience_s = 120.0
    end = run_of(shop, launch_of(shop, program, script={"launcher": "direct"}, watch=watch))
    assert end.state == "failed"
    assert "the job wrote nothing into its logs" in end.reason
    assert [entry["by"] for entry in shop.journal(end.run_id) if entry["kind"] == "watched"] == ["logs"]
    assert any("no heartbeat" in notice.message for notice in shop.runner.notices(end.run_id))


def test_a_script_that_ignores_sigterm_is_killed(shop: JobShop) -> None:
    program = (
        "import signal, time\n"
        "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
        "    signal.signal(number, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\n"
        "time.sleep(3600)\n"
    )
    shop.runner = LocalRunner(shop.home, stop_grace_s=0.0, kill_after_s=1.0)
    run = shop.submit(launch_of(shop, program, script={"launcher": "direct"}))
    shop.until(lambda: "deaf" in shop.runner.logs(run.run_id))
    began = time.monotonic()
    shop.runner.cancel(run.run_id)
    end = shop.wait(run.run_id)
    assert (end.state, end.exit_code) == ("cancelled", -signal.SIGKILL)
    assert time.monotonic() - began < 30


@pytest.mark.slow
def test_a_flood_of_one_gigabyte_neither_fills_the_disk_nor_stops_the_job(shop: JobShop) -> None:
    program = (
        "import os\n"
        "line = b'%09d ' + b'x' * 1013 + b'\\n'\n"
        "for block in range(1024):\n"
        "    os.write(1, b''.join(line % (block * 1024 + n) for n in range(1024)))\n"
        "os.write(1, b'the end\\n')\n"
    )
    limits = ResourceLimits(log_gib=1 / 16)
    run = shop.submit(launch_of(shop, program, script={"launcher": "direct"}, limits=limits))
    log = shop.run_dir(run.run_id) / "attempts" / "0001" / "torchrun.log"
    end = shop.wait(run.run_id)
    assert end.state == "done"
    facts = log.stat()
    assert facts.st_size == pytest.approx(2**30, rel=0.01)
    assert facts.st_blocks * 512 < 2**26  # 64 MiB, of 1 GiB written
    with log.open("rb") as stream:
        assert stream.read(10) == b"000000000 "
    tail = shop.runner.logs(run.run_id, tail_lines=2).splitlines()
    assert tail[-1] == "[launcher] the end"
    assert tail[0].startswith("[launcher] 001048575 x")
    [warning] = [
        entry for entry in shop.journal(run.run_id) if entry["kind"] == "warning" and entry["resource"] == "log"
    ]
    assert warning["message"] == "log torchrun.log grew beyond 0.0625 GiB: its middle was dropped"
    assert b"the middle of this log was dropped" in log.read_bytes()[: 2**25]


def test_children_that_outlive_a_script_are_swept(shop: JobShop) -> None:
    program = (
        "import os, sys, time\n"
        "for deaf in (False, True):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if deaf:\n"
        "            import signal\n"
        "            signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "            if os.fork():\n"
        "                os._exit(0)\n"
        "        time.sleep(3600)\n"
        "print('leaves', flush=True)\n"
    )
    end = run_of(shop, launch_of(shop, program, script={"launcher": "direct"}))
    assert (end.state, end.exit_code) == ("done", 0)
    assert [entry["swept"] for entry in shop.journal(end.run_id) if entry["kind"] == "end"] in ([2], [3])


@pytest.mark.parametrize(
    ("limits", "program", "words"),
    [
        (
            {"memory_gib": 0.25},
            "held = []\nwhile True:\n    held.append(bytearray(16 << 20))\n",
            r"MemoryError; it met its limit memory_gib: 0\.25 GiB for each process \(RLIMIT_DATA\)",
        ),
        (
            {"file_gib": 0.01},
            "import os\nwith open(os.environ['FSDP_RUN_DIR'] + '/ckpt', 'wb') as f:\n    f.write(bytes(32 << 20))\n",
            r"File too large; it met its limit file_gib: 0\.01 GiB for each file \(RLIMIT_FSIZE\)",
        ),
        (
            {"processes": 4},
            "import os, time\nfor _ in range(12):\n    if os.fork() == 0:\n        break\ntime.sleep(3600)\n",
            r"it met its limit processes: \d+ at once, 4 allowed",
        ),
    ],
    ids=["memory", "file", "processes"],
)
def test_a_job_beyond_its_limit_ends_and_the_record_names_it(
    shop: JobShop, limits: dict[str, Any], program: str, words: str
) -> None:
    launch = launch_of(shop, program, script={"launcher": "direct"}, limits=ResourceLimits.model_validate(limits))
    end = run_of(shop, launch)
    assert end.state == "failed"
    assert re.search(words + "$", end.reason), end.reason


UNSHARDED_HEAD = """
import os
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo")
body, head = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 8)), torch.nn.Linear(8, 1)
for layer in body:
    fully_shard(layer)
model = torch.nn.Sequential(body, head)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(dist.get_rank())
model(torch.randn(2, 4)).sum().backward()
optimizer.step()
print("arguments", os.sys.argv[1:])
"""


@pytest.mark.train
def test_a_first_step_check_is_added_to_a_script_that_knows_nothing_of_it(shop: JobShop) -> None:
    launch = launch_of(shop, UNSHARDED_HEAD, "--lr", "1", ranks=2, script={"first_step_check": True})
    support = [entry for entry in launch.inputs if entry.role == "support"]
    assert {Path(entry.path).name for entry in support} == {"fsdp_heartbeat.py", "fsdp_first_step.py"}
    end = run_of(shop, launch)
    assert (end.state, end.exit_code) == ("done", 0)
    [event] = [event for event in shop.runner.events(end.run_id).events if event.kind == "first_step_check"]
    codes = {found["code"] for found in event.data["findings"]}
    assert {"root-not-sharded", "parameter-not-sharded"} <= codes
    logs = shop.runner.logs(end.run_id)
    assert "first-step check: error root-not-sharded" in logs
    assert "arguments ['--lr', '1']" in logs


def test_a_first_step_check_wants_a_path(shop: JobShop) -> None:
    module = {"module": "train", "workdir": str(shop.folder), "first_step_check": True}
    with pytest.raises(ValueError, match="import fsdp_first_step"):
        Request.model_validate({"intent": "run", "script": module})
