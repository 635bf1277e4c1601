"""Lets the supervisor ask a rank that hangs what it is doing.

Signal 50 makes `faulthandler` write the Python stacks of all threads, in C, so that it
works while the interpreter is blocked in a collective. Signal 51 makes a thread write
the flight recorder, where it is on (TORCH_FR_BUFFER_SIZE). The files go into the
attempt's folder `diag`.
"""

import contextlib
import faulthandler
import os
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

STACK_SIGNAL, RECORD_SIGNAL = 50, 51
"""Real-time signals, which neither torchrun nor schedulers use."""
_kept: list[TextIO | socket.socket] = []
"""Open for as long as the process lives: the signal handlers write there."""


def offer_evidence(folder: Path, rank: int) -> None:
    """Install both answers. Main thread only; best effort, a job runs without them.

    Args:
        folder: Where the answers go; made where it is missing.
        rank: Rank of this process.
    """
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stacks = open(folder / f"stack-{rank}.txt", "w", encoding="utf-8")  # noqa: SIM115 - kept open
        _kept.append(stacks)
        faulthandler.register(STACK_SIGNAL, file=stacks, all_threads=True)
        if os.environ.get("TORCH_FR_BUFFER_SIZE"):
            _on_signal(RECORD_SIGNAL, lambda: _write_record(folder / f"flight_rank_{rank}"))


def _on_signal(number: int, act: Callable[[], None]) -> None:
    """Act in a thread of its own: the main thread may be blocked, and its handlers with it."""
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    _kept.extend([reader, writer])
    signal.signal(number, lambda *_: None)
    # the interpreter's handler in C writes the signal's number there at once
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)

    def wait() -> None:
        while received := reader.recv(64):
            if number in received:
                act()

    threading.Thread(target=wait, name="flight-recorder", daemon=True).start()


def _write_record(path: Path) -> None:
    from torch._C import _distributed_c10d

    with contextlib.suppress(OSError, RuntimeError, AttributeError):
        fresh = path.with_name(f".{path.name}")
        fresh.write_bytes(_distributed_c10d._dump_fr_trace())
        fresh.replace(path)
