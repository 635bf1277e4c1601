"""Reads stacks of live processes: what py-spy dumps and what `faulthandler` writes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engines.diagnosis.recorder import Frame

_PROCESS = re.compile(r"^Process (\d+): (.*)$")
_SPY_THREAD = re.compile(r'^Thread (?:0x)?[\da-fA-F]+ \([\w+]+\)(?:: "(.*)")?')
_SPY_FRAME = re.compile(r"^ {4}(.+) \((.+):(\d+)\)$")
_FAULT_THREAD = re.compile(r"^(?:Current thread|Thread) 0x[\da-f]+ .*\(most recent call first\)")
_FAULT_FRAME = re.compile(r'^  File "(.+)", line (\d+) in (.+)$')
_LIBRARY = re.compile(
    r"(?:site|dist)-packages/|(?:^|/)(?:torch|transformers|accelerate)/|lib/python3|<frozen|threading\.py|<string>"
)
_COLLECTIVES = re.compile(
    r"^(?:\w+\.)*(all_reduce|all_gather\w*|_?allgather\w*|reduce_scatter\w*|broadcast\w*|barrier|monitored_barrier|reduce"
    r"|gather\w*|scatter\w*|all_to_all\w*|send|recv|isend|irecv|wait|synchronize)$"
)
_IDLE_THREADS = re.compile(r"_bootstrap|select|worker_main|_pin_memory_loop")
_FRAMES_MAX = 200
_THREADS_MAX = 400


@dataclass(frozen=True)
class Stack:
    """The stack of the main thread of a process."""

    pid: int | None
    """Process id, where the dump tells it."""
    frames: tuple[Frame, ...]
    """Innermost first."""

    @property
    def collective(self) -> str | None:
        """The collective that it is in; None where it is in none."""
        for frame in self.frames[:12]:
            if "torch/distributed" in frame.file and (found := _COLLECTIVES.match(frame.function)):
                return found[1]
        return None

    @property
    def own(self) -> tuple[Frame, ...]:
        """Frames of the job's own code, innermost first; all where no file is the job's."""
        mine = tuple(frame for frame in self.frames if is_own(frame))
        return mine or self.frames


def is_stack(head: bytes) -> bool:
    """Tell by the first bytes of a file whether it is a dump of stacks."""
    text = head[:8192].decode("utf-8", "replace")
    spy = _PROCESS.match(text.lstrip().partition("\n")[0].strip()) is not None and "\nThread " in text
    return spy or ("(most recent call first)" in text and text.lstrip().startswith(("Current thread", "Thread 0x")))


def read_stacks(lines: Iterable[str]) -> list[Stack]:
    """Return the stack of the main thread of each process in a dump.

    Args:
        lines: Lines of a dump, or of a log that holds one.
    """
    stacks: list[Stack] = []
    pid: int | None = None
    threads: list[tuple[str, list[Frame]]] = []
    for raw in lines:
        line = raw.rstrip("\r\n")
        if found := _PROCESS.match(line):
            _close(stacks, pid, threads)
            pid, threads = int(found[1]), []
        elif found := _SPY_THREAD.match(line):
            threads.append((found[1] or "", []))
        elif _FAULT_THREAD.match(line):
            threads.append(("", []))
        elif threads and len(threads[-1][1]) < _FRAMES_MAX:
            if found := _SPY_FRAME.match(line):
                threads[-1][1].append(Frame(found[1].rpartition(".")[2], found[2], int(found[3])))
            elif found := _FAULT_FRAME.match(line):
                threads[-1][1].append(Frame(found[3], found[1], int(found[2])))
        del threads[:-_THREADS_MAX]
    _close(stacks, pid, threads)
    return stacks


def is_own(frame: Frame) -> bool:
    """Tell whether a frame is of the job's own code, not of a library."""
    return is_own_file(frame.file)


def is_own_file(file: str) -> bool:
    """Tell whether a file is the job's own code, not a library's."""
    return _LIBRARY.search(file) is None


def told(frame: Frame) -> str:
    """Return a frame as `function (file:line)`."""
    return f"{frame.function} ({frame.file}:{frame.line})"


def _close(stacks: list[Stack], pid: int | None, threads: list[tuple[str, list[Frame]]]) -> None:
    """Add the main thread: the one of that name, else the one that began in a module."""
    named = [frames for name, frames in threads if name == "MainThread" and frames]
    modules = [frames for _, frames in threads if frames and frames[-1].function == "<module>"]
    others = [frames for _, frames in threads if frames and not _IDLE_THREADS.search(frames[-1].function)]
    for frames in (named or modules or others)[-1:]:
        stacks.append(Stack(pid, tuple(frames)))
