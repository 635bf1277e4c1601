"""Who is who among processes: compared with what psutil and the system say."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from runners import process
from runners.process import MARKER_VARIABLE, Identity, descendants, identity, marked, send

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(SLEEP, env={MARKER_VARIABLE: "m-1", "OTHER": "x"})
    yield child
    child.kill()
    child.wait()


def test_the_start_time_is_that_of_the_system(sleeper: subprocess.Popen[bytes]) -> None:
    seen = identity(sleeper.pid)
    assert seen is not None
    since_boot_s = seen.started / os.sysconf("SC_CLK_TCK")
    assert psutil.boot_time() + since_boot_s == pytest.approx(psutil.Process(sleeper.pid).create_time(), abs=2)
    assert seen.is_alive()


def test_a_name_full_of_brackets_does_not_confuse() -> None:
    code = "import ctypes, time; ctypes.CDLL(None).prctl(15, b') R 1 (x'); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        deadline = time.monotonic() + 30
        while psutil.Process(child.pid).name() != ") R 1 (x":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        seen = identity(child.pid)
        child.kill()
    assert seen is not None
    assert seen.started > 0


def test_a_zombie_and_the_dead_are_not_alive(sleeper: subprocess.Popen[bytes]) -> None:
    seen = identity(sleeper.pid)
    assert seen is not None
    os.kill(sleeper.pid, signal.SIGKILL)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is not yet collected
    assert not seen.is_alive()
    sleeper.wait()
    assert not seen.is_alive()


@pytest.mark.parametrize("change", [{"started": 1}, {"boot": "another"}])
def test_the_next_owner_of_a_pid_is_another(sleeper: subprocess.Popen[bytes], change: dict[str, object]) -> None:
    seen = identity(sleeper.pid)
    assert seen is not None
    other = seen._replace(**change)
    assert not other.is_alive()
    assert not send(other, signal.SIGKILL)
    assert sleeper.poll() is None


def test_send(sleeper: subprocess.Popen[bytes]) -> None:
    seen = identity(sleeper.pid)
    assert seen is not None
    assert send(seen, signal.SIGTERM)
    assert sleeper.wait(30) == -signal.SIGTERM
    assert not send(seen, signal.SIGTERM)


def test_marked_means_the_whole_value(sleeper: subprocess.Popen[bytes]) -> None:
    assert {p.pid for p in marked(frozenset({"m-1"}))} == {sleeper.pid}
    assert marked(frozenset({"m-"})) == {}
    assert marked(frozenset({"x"})) == {}
    assert set(marked(frozenset({"m-1", "m-2"})).values()) == {"m-1"}


def test_descendants_are_those_that_psutil_finds() -> None:
    code = (
        f"import subprocess, sys, time; subprocess.Popen({SLEEP!r}, start_new_session=True, env={{}}); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        deadline = time.monotonic() + 30
        while not (grandchildren := psutil.Process(child.pid).children()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        found = {p.pid for p in descendants(os.getpid())}
        assert {child.pid, grandchildren[0].pid} <= found
        assert os.getpid() not in found
        assert descendants(child.pid) == {identity(grandchildren[0].pid)}
        grandchildren[0].kill()
        child.kill()


def test_another_boot(monkeypatch: pytest.MonkeyPatch, sleeper: subprocess.Popen[bytes]) -> None:
    before = identity(sleeper.pid)
    assert before is not None
    monkeypatch.setattr(process, "boot_id", lambda: "after-the-reboot")
    assert not before.is_alive()


def test_nonsense_is_no_identity() -> None:
    assert process.from_json({"pid": 1}) is None
    assert process.from_json({"pid": 1, "started": 2, "boot": "b"}) == Identity(1, 2, "b")
