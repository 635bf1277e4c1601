"""Python tracebacks in the logs of ranks: what each raised, and where it waited when a peer had gone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engines.diagnosis.line import Line
from engines.diagnosis.recorder import Frame
from engines.diagnosis.stacks import Stack

_BEGIN = "Traceback (most recent call last)"
_FATAL = re.compile(r"^Fatal Python error: (\w+)")
_THREAD = re.compile(r"^(?:Current thread|Thread) 0x[\da-f]+ .*\(most recent call first\)")
_FRAME = re.compile(r'^File "(.+)", line (\d+),? in (\S.*)$')
_RAISED = re.compile(r"^(?!File \")([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Timeout|Failure))\b ?(?::\s|$)")
_WAITED = re.compile(
    r"timed out waiting \d+ ?ms|wait time-?out|connection (?:closed|reset) by|broken pipe|recv operation"
    r"|nccl(?:remote|system)?error|remote process exited|collective (?:operation )?time-?out|monitoredbarrier"
    r"|application timeout caused pair closure|socket timeout|tcpstore|store->get",
    re.IGNORECASE,
)
_LAUNCHER = re.compile(r"^(?:\S*\.)?(?:ChildFailedError|SignalException)\b")
_FRAMES_MAX = 200
_BODY_LINES = 4


@dataclass(frozen=True)
class Raised:
    """An exception with which a rank ended."""

    rank: str | None
    """The rank; None where the log does not tell."""
    error: Line
    """Its type and message."""
    frames: tuple[Frame, ...]
    """Innermost first."""
    code: str
    """The statement that raised, its first line; empty where the log does not show it."""
    waited: bool
    """Whether a collective failed because of a peer: where it was, it waited."""

    @property
    def place(self) -> tuple[str, int]:
        """File and 1-based line of the message."""
        return self.error.file, self.error.number


def raised_in(lines: Sequence[Line]) -> list[Raised]:
    """Return the exceptions that ended ranks, the launcher's own word on its ranks left out.

    Args:
        lines: Lines as they were kept.
    """
    found: list[Raised] = []
    open_frames: dict[tuple[str, str | None], list[Frame]] = {}
    code: dict[tuple[str, str | None], str] = {}
    for number, line in enumerate(lines):
        key = (line.file, line.rank)
        if _BEGIN in line.text:
            open_frames[key] = []
        elif key in open_frames:
            frames = open_frames[key]
            if frame := _FRAME.match(line.text):
                frames.append(Frame(frame[3], frame[1], int(frame[2])))
                del frames[:-_FRAMES_MAX]
                code[key] = ""
            elif frames and _RAISED.match(line.text):
                del open_frames[key]
                if not _LAUNCHER.match(line.text):
                    body = " ".join(_body(lines, number))
                    waited = _WAITED.search(body) is not None
                    found.append(Raised(line.rank, line, tuple(reversed(frames)), code.get(key, ""), waited))
            elif not code.get(key):
                code[key] = line.text
    return found


def waiting_stacks(raised: Iterable[Raised], lines: Sequence[Line]) -> dict[int, Stack]:
    """Return where ranks waited for each other; nothing where one of them raised an error of its own.

    A rank that gloo ended because it got a message of another size waited as well: its stack is what
    `faulthandler` wrote.

    Args:
        raised: The exceptions of the ranks.
        lines: Lines as they were kept.
    """
    raised = [each for each in raised if each.rank is not None]
    if any(not each.waited for each in raised):
        return {}
    stacks = {int(each.rank or 0): Stack(None, each.frames) for each in raised}
    return stacks | _aborted(lines)


def _body(lines: Sequence[Line], number: int) -> Iterable[str]:
    """Yield a message: it may go on for some lines."""
    first = lines[number]
    for line in lines[number : number + _BODY_LINES]:
        if (line.file, line.rank) != (first.file, first.rank):
            return
        yield line.text


def _aborted(lines: Sequence[Line]) -> dict[int, Stack]:
    """Return the stacks of ranks in which gloo found a message of the wrong size."""
    met = {line.rank for line in lines if "gloo::EnforceNotMet" in line.text and line.rank is not None}
    stacks: dict[int, Stack] = {}
    for rank in met:
        threads: list[list[Frame]] = []
        fatal = False
        for line in lines:
            if line.rank != rank:
                continue
            if found := _FATAL.match(line.text):
                fatal = found[1] == "Aborted"
            elif fatal and _THREAD.match(line.text):
                threads.append([])
            elif fatal and threads and (frame := _FRAME.match(line.text)):
                threads[-1].append(Frame(frame[3], frame[1], int(frame[2])))
        main = [frames for frames in threads if frames and frames[-1].function == "<module>"]
        if main:
            stacks[int(rank)] = Stack(None, tuple(main[0]))
    return stacks
