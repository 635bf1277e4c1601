"""What is taken down of a hang before anything is ended: stacks, `/proc`, sockets, GPUs.

Everything is best effort, bounded in size and time, and read-only, but for one signal
that a rank has a handler for.
"""

import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runners.process import Identity, send
from runners.rundir import RunDir
from runners.supervisor.sweeping import belonging

STACK_SIGNAL, RECORD_SIGNAL = 50, 51
"""Real-time signals that nobody else is likely to use. A rank that has a handler is sent
them, and is expected to write its stacks and its flight recorder into the folder."""
_ALL_S = 60.0
"""Seconds for everything: a GPU that hangs costs money."""
_TOOL_S = 10.0
_ANSWER_S = 20.0
"""A flight recorder takes seconds: it looks up the names of the frames that it holds."""
_LOOK_S = 0.05
_MOST_PROCESSES = 128
_MOST_THREADS = 64
_READ_BYTES = 64 << 10
_PROC = Path("/proc")
_STATES = {"01": "ESTABLISHED", "02": "SYN_SENT", "06": "TIME_WAIT", "08": "CLOSE_WAIT", "0A": "LISTEN"}


def take_evidence(run: RunDir, number: int, marker: str, interpreter: str, heartbeats: dict[int, Any]) -> list[str]:
    """Write what can be seen of a job into `attempts/NNNN/diag/`.

    Args:
        run: The run folder.
        number: The start.
        marker: What its processes are known by.
        interpreter: Its Python; py-spy is also looked for beside it.
        heartbeats: Last sign of each rank, as JSON data.

    Returns:
        Names of the files in that folder, sorted.
    """
    folder = run.attempt(number).diagnosis
    deadline = time.monotonic() + _ALL_S
    with contextlib.suppress(OSError):
        folder.mkdir(0o700, exist_ok=True)
        _write(folder / "heartbeats.json", json.dumps(heartbeats, indent=2))
        processes = sorted(belonging(marker))[:_MOST_PROCESSES]
        for process in processes:
            _write(folder / f"{_name(process.pid)}.proc.txt", _proc_state(process.pid))
        _write(folder / "sockets.txt", "\n".join(_sockets(processes)))
        _take_stacks(folder, processes, interpreter, deadline)
        if shutil.which("nvidia-smi") and Path("/dev/nvidiactl").exists():
            _run_tool(["nvidia-smi", "-q", "-d", "UTILIZATION,MEMORY,ECC,PIDS"], folder / "gpu.txt", deadline)
        return sorted(path.name for path in folder.iterdir())
    return []


def _take_stacks(folder: Path, processes: list[Identity], interpreter: str, deadline: float) -> None:
    beside = Path(interpreter).with_name("py-spy")
    tool = str(beside) if beside.is_file() else shutil.which("py-spy")
    ranks = [process for process in processes if _rank(process.pid) is not None]
    if tool is not None:
        for process in ranks:
            path = folder / f"{_name(process.pid)}.pyspy.txt"
            _run_tool([tool, "dump", "--nonblocking", "--pid", str(process.pid)], path, deadline)
    asked = [(process, number) for process in ranks for number in _handled(process.pid)]
    for process, number in asked:
        send(process, number)
    _wait_for_answers(folder, len(asked))


def _wait_for_answers(folder: Path, expected: int) -> None:
    """Wait until as many answers as were asked for have content, and have stopped growing."""
    limit, before = time.monotonic() + _ANSWER_S, -1
    while expected and time.monotonic() < limit:
        sizes = [path.stat().st_size for path in (*folder.glob("stack-*.txt"), *folder.glob("flight_*"))]
        if sum(size > 0 for size in sizes) >= expected and sum(sizes) == before:
            return
        before = sum(sizes)
        time.sleep(_LOOK_S)


def _run_tool(argv: list[str], output: Path, deadline: float) -> None:
    """Run a tool with its output in a file; one that does not end is killed and not waited for."""
    limit = min(deadline, time.monotonic() + _TOOL_S)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    try:
        pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions, setsid=True, setsigmask=())
    except OSError:
        return
    with contextlib.suppress(OSError):
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > limit:
                os.kill(pid, signal.SIGKILL)  # still our child, so still the same process
                return
            time.sleep(_LOOK_S)


def _proc_state(pid: int) -> str:
    """Return command, status, and for each thread its name and where in the kernel it waits."""
    here = _PROC / str(pid)
    parts = [f"command: {_read(here / 'cmdline').replace(chr(0), ' ')}", _read(here / "status")]
    threads: list[Path] = []
    with contextlib.suppress(OSError):
        threads = sorted((here / "task").iterdir())[:_MOST_THREADS]
    for thread in threads:
        name, waits = _read(thread / "comm").strip(), _read(thread / "wchan").strip("0\n")
        parts.append(f"thread {thread.name} {name}: {waits or 'on a core, or unknown'}")
        parts.append(_read(thread / "stack"))  # root alone may read it
    return "\n".join(part for part in parts if part)


def _sockets(processes: list[Identity]) -> Iterator[str]:
    """Yield a line for each TCP socket of these processes."""
    owners: dict[str, int] = {}
    for process in processes:
        with contextlib.suppress(OSError):
            for entry in (_PROC / str(process.pid) / "fd").iterdir():
                with contextlib.suppress(OSError):
                    target = str(entry.readlink())
                    if target.startswith("socket:["):
                        owners[target[len("socket:[") : -1]] = process.pid
    yield "process local remote state send_queue:receive_queue (bytes, hexadecimal)"
    for table in ("tcp", "tcp6"):
        for line in _read(_PROC / "net" / table, 16 << 20).splitlines()[1:]:
            fields = line.split()
            if len(fields) > 9 and fields[9] in owners:
                state = _STATES.get(fields[3], fields[3])
                yield f"{_name(owners[fields[9]])} {_address(fields[1])} {_address(fields[2])} {state} {fields[4]}"


def _address(text: str) -> str:
    """Return `address:port` of the kernel's hexadecimal form; IPv6 addresses stay hexadecimal."""
    host, _, port = text.partition(":")
    if len(host) == 8:
        host = ".".join(str(byte) for byte in reversed(bytes.fromhex(host)))
    return f"{host}:{int(port, 16)}"


def _handled(pid: int) -> list[int]:
    """Return which of the two signals a process has a handler for; another would end it."""
    for line in _read(_PROC / str(pid) / "status").splitlines():
        if line.startswith("SigCgt:"):
            caught = int(line.split()[1], 16)
            return [number for number in (STACK_SIGNAL, RECORD_SIGNAL) if caught >> (number - 1) & 1]
    return []


def _name(pid: int) -> str:
    rank = _rank(pid)
    return f"process-{pid}" if rank is None else f"rank-{rank}-{pid}"


def _rank(pid: int) -> int | None:
    for variable in _read(_PROC / str(pid) / "environ", 4 << 20).split("\0"):
        name, _, value = variable.partition("=")
        if name == "RANK" and value.isascii() and value.isdecimal():
            return int(value)
    return None


def _read(path: Path, limit_bytes: int = _READ_BYTES) -> str:
    try:
        with open(path, "rb") as stream:
            return stream.read(limit_bytes).decode("utf-8", "replace")
    except OSError:
        return ""


def _write(path: Path, text: str) -> None:
    with contextlib.suppress(OSError), open(path, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(text + "\n")
