"""What goes into a run folder, what never does, and what happens where it cannot be written."""

import fnmatch
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from contracts.errors import RunFolderUnwritable
from runners import Home, LocalRunner
from runners.publishing import publish
from runners.rundir import WRITERS, RunDir
from runners.spawn import send_supervisor
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

SUBMIT = """
import resource, sys
from contracts.approval import Approval
from contracts.errors import FsdpAgentError
from contracts.launch import LaunchRequest
from runners import Home, LocalRunner
home, launch, approval, limit = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
try:
    LocalRunner(Home(home)).submit(LaunchRequest.model_validate_json(launch),
                                   Approval.model_validate_json(approval), "key")
except FsdpAgentError as error:
    print(error.code, error.message)
"""


def test_a_home_that_is_a_file_gives_one_clear_message(shop: JobShop) -> None:
    launch = shop.trainer(2)
    approval = shop.approve(launch)
    shop.home.runs.write_text("in the way")
    with pytest.raises(RunFolderUnwritable, match="runs"):
        shop.runner.submit(launch, approval, "key")
    assert shop.home.runs.read_text() == "in the way"
    assert list(shop.runner.runs()) == []


def test_a_home_below_a_file_gives_one_clear_message(shop: JobShop, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    launch = shop.trainer(2)
    with pytest.raises(RunFolderUnwritable):
        LocalRunner(Home(tmp_path / "file" / "home")).submit(launch, shop.approve(launch), "key")


def test_a_folder_that_is_no_run_is_in_the_way(shop: JobShop) -> None:
    launch = shop.trainer(2, 0.01)
    run_id = shop.submit(launch).run_id
    shop.wait(run_id)
    shop.until_gone()
    (shop.run_dir(run_id) / "submission.json").write_text("[]")
    with pytest.raises(RunFolderUnwritable, match="move it away"):
        shop.submit(launch)
    assert (shop.run_dir(run_id) / "submission.json").read_text() == "[]"


@pytest.mark.parametrize("limit_bytes", [0, 300])
def test_a_full_disk_at_submit_leaves_nothing(shop: JobShop, limit_bytes: int) -> None:
    # A file may not grow beyond the limit: the write fails half way, as on a full disk.
    launch = shop.trainer(2)
    shop.home.runs.mkdir(parents=True)
    arguments = [str(shop.home.root), launch.model_dump_json(), shop.approve(launch).model_dump_json()]
    done = subprocess.run(
        [sys.executable, "-c", SUBMIT, *arguments, str(limit_bytes)], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("run_folder_unwritable cannot make the run folder"), done.stderr
    assert list(shop.home.runs.iterdir()) == []


def test_a_supervisor_that_cannot_write_the_journal_starts_nothing(shop: JobShop) -> None:
    launch = shop.trainer(2)
    run = RunDir(shop.home.runs / "r-0123456789ab")
    publish(run, launch, shop.approve(launch).model_dump(mode="json"), "key")
    run.journal.symlink_to("/dev/full")
    with pytest.raises(RunFolderUnwritable, match="No space left on device"):
        send_supervisor(run, 1, may_start=True)
    assert not run.attempts.exists()


def test_a_stop_that_cannot_be_written_is_said(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(10_000))
    shop.until_step(run.run_id, 1)
    commands = shop.run_dir(run.run_id) / "cmd"
    commands.rmdir()
    commands.write_text("in the way")
    with pytest.raises(RunFolderUnwritable, match="ask"):
        shop.runner.cancel(run.run_id)
    commands.unlink()
    commands.mkdir()
    shop.runner.cancel(run.run_id)
    assert shop.wait(run.run_id).state == "cancelled"


@pytest.mark.parametrize("field", ["interpreter", "workdir"])
def test_a_launch_that_names_what_is_not_there_fails_with_its_name(shop: JobShop, field: str) -> None:
    run = shop.submit(shop.trainer(2, **{field: "/nowhere/at/all"}))
    end = shop.wait(run.run_id)
    assert (end.state, end.exit_code) == ("failed", 127)
    assert "/nowhere/at/all" in end.reason
    assert "No such file" in end.reason


def test_only_named_variables_reach_the_job(shop: JobShop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cret-value")
    monkeypatch.setenv("OTHER_TOKEN", "0ther-value")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    program = (
        "import json, os, hashlib, pathlib\n"
        "seen = {n: hashlib.sha256(v.encode()).hexdigest() for n, v in os.environ.items()}\n"
        "(pathlib.Path(os.environ['FSDP_RUN_DIR']) / 'ckpt').mkdir()\n"
        "(pathlib.Path(os.environ['FSDP_RUN_DIR']) / 'ckpt' / 'env.json').write_text(json.dumps(seen))\n"
    )
    run = shop.submit(shop.launch(program, env_passed=("MY_TOKEN", "NOT_SET"), env={"WANDB_MODE": "offline"}))
    assert shop.wait(run.run_id).state == "done"
    names = set(json.loads((shop.run_dir(run.run_id) / "ckpt" / "env.json").read_text()))
    assert {"MY_TOKEN", "WANDB_MODE", "PATH", "FSDP_RUN_DIR", "FSDP_RUN_ID", "FSDP_ATTEMPT"} <= names
    assert not names & {"OTHER_TOKEN", "PYTHONPATH", "NOT_SET", "PYTEST_CURRENT_TEST"}
    for path in shop.run_dir(run.run_id).rglob("*"):
        if path.is_file():
            assert b"s3cret-value" not in path.read_bytes(), path


def test_place_holders_are_filled_and_nothing_else_is(shop: JobShop) -> None:
    program = "import sys; print(sys.argv[1:])"
    run = shop.submit(shop.launch(program, "--to={run_dir}/x", "{attempt_dir}", "{other}", "$HOME", "a b;c"))
    shop.wait(run.run_id)
    folder = shop.run_dir(run.run_id)
    wanted = [f"--to={folder}/x", str(folder / "attempts" / "0001"), "{other}", "$HOME", "a b;c"]
    assert str(wanted) in shop.runner.logs(run.run_id)


def test_every_file_of_a_run_folder_has_one_named_writer(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(1000))
    shop.until_step(run.run_id, 1)
    shop.runner.cancel(run.run_id)
    shop.wait(run.run_id)
    shop.runner.resume(run.run_id)
    shop.until(lambda: shop.runner.status(run.run_id).attempt == 2)
    shop.runner.cancel(run.run_id)
    shop.wait(run.run_id)
    shop.until_gone()
    patterns = [name.replace("NNNN", "[0-9][0-9][0-9][0-9]").replace("<rank>", "*") for name in WRITERS]
    folder = shop.run_dir(run.run_id)
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    unnamed = {
        name for name in found if not any(fnmatch.fnmatch(name, p + "*" if p.endswith("/") else p) for p in patterns)
    }
    assert not unnamed
    assert {"spec.json", "approval.json", "journal.jsonl", "attempts/0002/rc", "attempts/0001/result.json"} <= found


def test_others_cannot_look_into_a_run_folder(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(1, 0.0))
    shop.wait(run.run_id)
    assert shop.run_dir(run.run_id).stat().st_mode & 0o077 == 0


def test_state_json_says_the_same_as_the_record(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(2, 0.01))
    end = shop.wait(run.run_id)
    shop.until_gone()
    state = json.loads((shop.run_dir(run.run_id) / "state.json").read_text())
    assert [state[name] for name in ("run_id", "state", "attempt", "exit_code")] == [run.run_id, "done", 1, 0]
    assert end.state == "done"


def test_a_torn_journal_line_costs_nothing(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(1000))
    shop.until_step(run.run_id, 1)
    os.kill(shop.supervisor(run.run_id), 9)
    with open(shop.run_dir(run.run_id) / "journal.jsonl", "a") as journal:
        journal.write('{"kind": "end", "sta')
    assert shop.runner.status(run.run_id).state == "running"
    shop.runner.cancel(run.run_id)
    assert shop.wait(run.run_id).state == "cancelled"


def test_the_supervisor_needs_nothing_that_is_installed(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(100))
    shop.until_step(run.run_id, 1)
    maps = (Path("/proc") / str(shop.supervisor(run.run_id)) / "maps").read_text()
    command = (Path("/proc") / str(shop.supervisor(run.run_id)) / "cmdline").read_bytes().split(b"\0")
    assert "site-packages" not in maps
    assert command[1:3] == [b"-I", b"-S"]
    shop.runner.cancel(run.run_id)
    shop.wait(run.run_id)


def test_a_thousand_runs_are_listed_quickly(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(3, 0.01))
    shop.wait(run.run_id)
    shop.until_gone()
    for number in range(999):
        shutil.copytree(shop.run_dir(run.run_id), shop.home.runs / f"r-{number:012x}", copy_function=os.link)
    began = time.perf_counter()
    assert len(list(shop.runner.runs())) == 1000
    # the bound is 0.5 s on an idle machine; a loaded one is given four times that
    assert time.perf_counter() - began < 2.0
