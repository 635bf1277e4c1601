"""One trial's processes: torchrun and its ranks, watched for silence, and none left behind. Standard library only."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_LOOK_S = 0.25
_STOP_PATIENCE_S = 30.0
"""From the stop file to the kill: a trial saves nothing, so its ranks need one step."""
_SWEEP_S = 20.0


class Child:
    """A torchrun, from its parent's side."""

    def __init__(self, argv: list[str], folder: Path, boot_s: float, step_s: float) -> None:
        """Start it with its output in `torchrun.log` of its folder.

        Args:
            argv: Arguments after this interpreter.
            folder: Its run folder.
            boot_s: Seconds of silence to its first step.
            step_s: Seconds of silence between steps.
        """
        self.folder = folder
        self._boot_s, self._step_s = boot_s, step_s
        self._seen: tuple[int, ...] = ()
        self._since = self._asked_at = time.monotonic()
        self.hung = ""
        """Why it was ended as hung; empty where it was not."""
        self.asked_to_stop = False
        """Whether it was told to stop."""
        environment = os.environ | {"FSDP_RUN_DIR": str(folder), "FSDP_ATTEMPT": "1"}
        with open(folder / "torchrun.log", "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, *argv], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )

    @property
    def exit_code(self) -> int | None:
        """Exit status of torchrun; negative: killed by that signal."""
        return self._process.returncode

    def runs(self) -> bool:
        """Look once, a quarter of a second later, whether it still runs; end it where it hangs."""
        try:
            self._process.wait(_LOOK_S)
            return False
        except subprocess.TimeoutExpired:
            self._look()
            return True

    def ask_to_stop(self) -> None:
        """Ask its ranks to stop at the next step boundary; the second call does nothing new."""
        if not self.asked_to_stop:
            self.asked_to_stop, self._asked_at = True, time.monotonic()
            (self.folder / "cmd" / "stop").touch()

    def end_what_is_left(self) -> None:
        """Kill what still runs of it: ranks are in sessions of their own and outlive a killed torchrun."""
        deadline = time.monotonic() + _SWEEP_S
        while (left := self._left()) and time.monotonic() < deadline:
            for pid in left:
                self._kill(pid)
            self._process.poll()
            time.sleep(0.05)
        self._process.wait()

    def _look(self) -> None:
        now = time.monotonic()
        if self.asked_to_stop and now - self._asked_at > _STOP_PATIENCE_S:
            self.end_what_is_left()
            return
        seen = self._signs()
        if seen != self._seen:
            self._seen, self._since = seen, now
        started = self._seen and (self.folder / "events.jsonl").exists()
        limit_s = self._step_s if started else self._boot_s
        if now - self._since > limit_s:
            self.hung = f"hung: no sign of life for {now - self._since:.0f} s (limit {limit_s:.0f} s)"
            self.end_what_is_left()

    def _signs(self) -> tuple[int, ...]:
        """Return when each rank gave its last sign of life, in nanoseconds of the file system."""
        with contextlib.suppress(OSError):
            return tuple(path.stat().st_mtime_ns for path in sorted((self.folder / "hb").glob("*.json")))
        return ()

    def _left(self) -> list[int]:
        """Return its living processes: they carry its run folder in their environment."""
        found = []
        for entry in os.scandir("/proc"):
            if entry.name.isdecimal() and int(entry.name) != os.getpid() and self._is_ours(int(entry.name)):
                found.append(int(entry.name))
        return found

    def _is_ours(self, pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/environ", "rb") as stream:
                return f"FSDP_RUN_DIR={self.folder}".encode() in stream.read().split(b"\0")
        except OSError:
            return False  # gone, or another user's

    def _kill(self, pid: int) -> None:
        # the descriptor holds the process: between look and signal its pid cannot change hands
        with contextlib.suppress(OSError):
            descriptor = os.pidfd_open(pid)
            try:
                if self._is_ours(pid):
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            finally:
                os.close(descriptor)
