"""A real PostgreSQL for a test: a cluster of its own in a folder of its own, under a user who is not root."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flows.servers import free_port

START_S = 120
_USERS = ("postgres", "nobody")


def programs() -> Path | None:
    """The folder of initdb and postgres; None where there is none."""
    found = [Path(path).resolve().parent for name in ("initdb", "postgres") if (path := shutil.which(name))]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if all((folder / name).exists() for name in ("initdb", "postgres"))), None)


def user() -> str | None:
    """A user to run it as where the tests run as root, whom postgres refuses; None: the tests' own."""
    if os.geteuid() != 0:
        return None
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _USERS if name in names)


@dataclass
class Database:
    """A running server and its switches."""

    folder: Path
    bin: Path
    port: int
    process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"postgresql://fsdp@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        call = [str(self.bin / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder)]
        call += ["-c", "listen_addresses=127.0.0.1", "-p", str(self.port), "-c", "max_connections=40"]
        with open(self.folder / "postgres.log", "ab") as log:
            self.process = subprocess.Popen(
                call, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder, start_new_session=True, **_as(user())
            )
        self._wait()

    def _wait(self) -> None:
        import psycopg

        limit = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                said = (self.folder / "postgres.log").read_text()
                assert time.monotonic() < limit, said
                assert self.process is not None, said
                assert self.process.poll() is None, said
                time.sleep(0.1)

    def kill(self) -> None:
        """kill -9 of the server and of every process of it: no word of goodbye, no last write."""
        assert self.process is not None
        # each of its processes leads a group of its own: their session is the server's
        for pid in _session(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(60)
        limit = time.monotonic() + 60
        while _session(self.process.pid):
            assert time.monotonic() < limit, "processes of the database are left"
            time.sleep(0.05)

    def stop(self) -> None:
        for order in (signal.SIGINT, signal.SIGKILL):
            if self.process is None or self.process.poll() is not None:
                return
            self.process.send_signal(order)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(60)


@contextmanager
def database() -> Iterator[Database]:
    """A server on a free port, with the tables of nobody; skips where PostgreSQL is not installed."""
    found = programs()
    if found is None:
        pytest.skip("needs PostgreSQL (initdb, postgres), such as Debian's package postgresql")
    # a folder under pytest's is closed to other users, and the server is one
    with tempfile.TemporaryDirectory(prefix="fsdp-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if (owner := user()) is not None:
            shutil.chown(folder, owner)
        made = subprocess.run(
            [str(found / "initdb"), "-D", str(folder / "data"), "-U", "fsdp", "-A", "trust", "--no-sync", "-E", "UTF8"],
            capture_output=True,
            text=True,
            timeout=240,
            cwd=folder,
            **_as(owner),
        )
        assert made.returncode == 0, made.stdout + made.stderr
        running = Database(folder, found, free_port())
        try:
            running.start()
            yield running
        finally:
            running.stop()


def _as(owner: str | None) -> dict:
    if owner is None:
        return {}
    import pwd

    return {"user": owner, "group": pwd.getpwnam(owner).pw_gid, "extra_groups": []}


def _session(leader: int) -> list[int]:
    """Pids of the session, without what is dead already."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                state, _parent, _group, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(session) == leader and state != "Z":
                    found.append(int(entry.name))
    return found
