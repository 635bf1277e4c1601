"""What clients do: die, follow, cancel, submit again."""

import hashlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from contracts.errors import RunFolderUnwritable
from runners import LocalRunner
from runners.publishing import publish
from runners.rundir import RunDir
from runners.spawn import send_supervisor
from tests.flows.matrix.case import Case

CLIENT = textwrap.dedent(
    """\
    import sys, time
    from contracts.approval import Approval
    from contracts.launch import LaunchRequest
    from runners import Home, LocalRunner
    home, launch, approval = sys.argv[1:]
    launch, approval = LaunchRequest.model_validate_json(launch), Approval.model_validate_json(approval)
    print(LocalRunner(Home(home)).submit(launch, approval, "key").run_id, flush=True)
    time.sleep(3600)
    """
)


def go_on(case: Case) -> None:
    """Nothing is done to the job itself."""
    case.go_on()


def submit_and_die(case: Case) -> None:
    """Submit from a client that is killed with all its process group."""
    launch = case.launch()
    arguments = [str(case.shop.home.root), launch.model_dump_json(), case.shop.approve(launch).model_dump_json()]
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, *arguments], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as client:
        assert client.stdout is not None
        case.run_id = client.stdout.readline().strip()
        os.killpg(client.pid, signal.SIGKILL)


def publish_alone(case: Case) -> RunDir:
    """Make the run folder that a submit makes, and send no supervisor."""
    launch = case.launch()
    run_id = "r-" + hashlib.sha256(b"key").hexdigest()[:12]
    run = RunDir(case.shop.run_dir(run_id))
    publish(run, launch, case.shop.approve(launch).model_dump(mode="json"), "key")
    case.run_id = run_id
    return run


def race_six_supervisors(case: Case) -> None:
    """Six clients send a supervisor at the same time."""
    run = publish_alone(case)
    threads = [threading.Thread(target=send_supervisor, args=(run, 1), kwargs={"may_start": True}) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def die_before_the_start(case: Case) -> None:
    """SIGKILL to the supervisor when it has made the attempt folder and is about to start the shim.

    The log that the shim is to have is a pipe without a reader: the supervisor's child waits
    in the kernel before it becomes the shim, and the supervisor waits for its child.
    """
    run = publish_alone(case)
    run.attempt(1).path.mkdir(parents=True)
    os.mkfifo(run.attempt(1).launcher_log)
    send_supervisor(run, 1, may_start=True)
    case.shop.until(lambda: case.entries("attempt") and len(case.shop.processes()) == 2)
    os.kill(case.pid("supervisor"), signal.SIGKILL)
    [late] = case.shop.until(case.shop.processes, lambda found: len(found) == 1)
    # it holds the lock of the dead one: nobody can start a second job meanwhile
    with pytest.raises(RunFolderUnwritable, match="its lock is held"):
        case.shop.runner.resume(case.run_id)
    reader = os.open(run.attempt(1).launcher_log, os.O_RDONLY | os.O_NONBLOCK)
    case.stack.callback(os.close, reader)
    case.shop.until(lambda: case.status.state != "lost")
    case.until_held(0, 1)
    assert late in case.shop.processes(), "it became the shim"
    case.adopt()


def kill_a_follower(case: Case) -> None:
    _end_a_follower(case, signal.SIGKILL)


def tell_a_follower(case: Case) -> None:
    _end_a_follower(case, signal.SIGTERM)


def _end_a_follower(case: Case, number: signal.Signals) -> None:
    command = [str(Path(sys.executable).with_name("fsdp-agent")), "jobs", "follow", case.run_id]
    environment = {"PATH": "/usr/bin:/bin", "FSDP_AGENT_HOME": str(case.shop.home.root)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment) as follower:
        assert follower.stdout is not None
        assert follower.stdout.readline(), "it shows something before it is ended"
        follower.send_signal(number)
        assert follower.wait() != 0
    case.go_on()


def cancel(case: Case) -> None:
    case.shop.runner.cancel(case.run_id)


def submit_again(case: Case) -> None:
    launch = case.launch()
    again = LocalRunner(case.shop.home).submit(launch, case.shop.approve(launch), "key")
    assert (again.run_id, again.attempt) == (case.run_id, 1)
    case.go_on()
