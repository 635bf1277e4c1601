"""What happened to each rank, in order: collected line by line while files are read, so that size does not matter."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from engines.diagnosis.line import Line
from engines.diagnosis.stamps import Clock

RANKS_MAX = 16_384
"""Ranks that are followed."""

ERROR = re.compile(
    r"\b[A-Za-z_][\w.]*(?:Error|Exception|Interrupt)\b ?: ?\S|\bAssertionError\b|\b(?:Segmentation fault|Bus error)\b"
    r"|NCCL WARN|Xid|CUDA error|\bKilled\b|\bKilled process \d|\boom[-_]kill|\bOOM[ -]?Killed|Out of memory: "
    r"|Address already in use|\btasks? [\d,-]+: Out Of Memory|\bOUT_OF_MEMORY\b|(?:^|\s)ERROR[ :]"
    r"|fallen off the bus|Fatal Python error|^what\(\): +\S",
)
"""Trouble of a rank's own."""
CONSEQUENCE = re.compile(
    r"ChildFailedError|SignalException|closing signal|Timed out waiting \d+ ?ms|failed \(exitcode|watchdog"
    r"|collective operation timeout|remote process exit|ncclRemoteError|Connection closed by|reset by peer|Broken pipe"
    r"|DistBackendError|error_file|exitcode|Some NCCL operations have failed",
    re.IGNORECASE,
)
"""Trouble that a rank has because another one has gone."""
_TOLD = "closing signal"
"""torchrun's words when it ends the ranks that are left."""
TROUBLE = re.compile(f"{ERROR.pattern}|(?i:{CONSEQUENCE.pattern})")
"""Either."""

_PROGRESS = re.compile(
    r"\b(?:global_?step|step|iter(?:ation)?s?)\b\W{0,4}(\d{1,12})|Epoch:? ?\[?\d+\]?\W{1,3}\[?(\d+)/\d+"
    r"|(\d{1,9})/\d{1,9} \[\d",
    re.IGNORECASE,
)
_WATCHDOG = re.compile(
    r"\[Rank (\d+)\].{0,80}?(?:Watchdog caught|timed out).{0,60}?WorkNCCL\((.{0,300}?Timeout\(ms\)=\d+)\)"
)
_FIELDS = re.compile(r"(SeqNum|OpType|NumelIn|NumelOut|PG GUID)[= ]([\w.()]+)")
_COUNTS = re.compile(
    r"Rank (\d+)\].{0,160}?last enqueued NCCL work: (\d+), last completed(?: NCCL work:)? (\d+)", re.IGNORECASE
)
_FINGERPRINT = re.compile(
    r"Rank (\d+) is running (?:inconsistent )?collective: CollectiveFingerPrint\(SequenceNumber=(\d+), OpType=(\w+)"
    r"(?:, TensorShape=\[([\d, ]*)\])?"
)
_EXIT = re.compile(r"failed \(exitcode: (-?\d+)\) local_rank: (\d+) \(pid: (\d+)\)")
_BLOCK_RANK = re.compile(r"^rank\s+: (\d+) \(local_rank")
_BLOCK_EXIT = re.compile(r"^exitcode\s+: (-?\d+) \(pid: (\d+)\)")
_TASKS = re.compile(r"srun: error: \S+ tasks? ([\d,-]+): (.{0,80})")
_KILLED = re.compile(r"Killed process (\d+)")
_SIGNALS = {4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}


@dataclass
class Event:
    """A line with when it was written."""

    line: Line
    """The line."""
    order: int
    """Its place among all lines that were looked at."""
    at: float | None
    """Seconds since the epoch; None where nothing tells."""

    @property
    def key(self) -> tuple[float, int]:
        """What events are ordered by: those without a time come last."""
        return (self.at if self.at is not None else float("inf"), self.order)


@dataclass
class RankTrail:
    """What one rank left behind."""

    progress: Event | None = None
    error: Event | None = None
    consequence: Event | None = None
    last: Event | None = None
    exit: str | None = None
    waits_in: str | None = None
    enqueued: int | None = None
    completed: int | None = None


@dataclass
class Watch:
    """Follows the ranks through the lines."""

    ranks: dict[str, RankTrail] = field(default_factory=dict)
    """By rank; lines without a rank are under the empty text."""
    fingerprints: dict[str, str] = field(default_factory=dict)
    """Collective of ranks that torch found to differ."""
    pids: dict[str, str] = field(default_factory=dict)
    """Rank of a process, where the launcher told it."""
    killed: set[str] = field(default_factory=set)
    """Processes that the kernel ended."""
    seen: int = 0
    """Lines that were looked at."""
    _clock: Clock = field(default_factory=Clock)
    _stamps: dict[tuple[str, str], float] = field(default_factory=dict)
    _block_rank: str | None = None

    def trail(self, rank: str | None) -> RankTrail | None:
        """Return the trail of a rank; None where too many are followed already."""
        name = rank or ""
        if name not in self.ranks and len(self.ranks) >= RANKS_MAX:
            return None
        return self.ranks.setdefault(name, RankTrail())

    def see(self, line: Line) -> bool:
        """Take in a line.

        Returns:
            Whether it is the first trouble of its rank, so that what stood before it is of interest.
        """
        self.seen += 1
        at = self._time(line)
        self._exits(line)
        self._waits(line)
        trail = self.trail(line.rank)
        if trail is None:
            return False
        event = Event(line, self.seen, at)
        consequence = CONSEQUENCE.search(line.text) is not None
        if consequence or ERROR.search(line.text):
            first = trail.error is None and trail.consequence is None
            if consequence:
                trail.consequence = _weightier(trail.consequence, event)
            else:
                trail.error = _earlier(trail.error, event)
            trail.last = event
            return first
        if trail.error is None and _PROGRESS.search(line.text):
            trail.progress = event
        return False

    def before(self, line: Line, earlier: Iterable[Line]) -> None:
        """Take in the lines that stood before the first trouble of a rank, the last one first.

        Args:
            line: The line of trouble.
            earlier: Lines of the same file.
        """
        trail = self.trail(line.rank)
        if trail is None:
            return
        event = trail.error or trail.consequence
        for past in earlier:
            if past.rank != line.rank:
                continue
            at = self._clock.read(past.text)
            if event is not None and event.at is None and at is not None:
                event.at = at
            if _PROGRESS.search(past.text) and not ERROR.search(past.text):
                trail.progress = Event(past, self.seen - 1, at)
                return

    def _time(self, line: Line) -> float | None:
        """Return when a line was written: its own stamp, else the last one of its rank in its file."""
        at = self._clock.read(line.text)
        key = (line.file, line.rank or "")
        if at is None:
            return self._stamps.get(key)
        if key in self._stamps or len(self._stamps) < RANKS_MAX:
            self._stamps[key] = at
        return at

    def _exits(self, line: Line) -> None:
        text = line.text
        if found := _EXIT.search(text):
            self._exit(found[2] if line.rank is None else line.rank, found[1], found[3])
        elif found := _BLOCK_RANK.search(text):
            self._block_rank = found[1]
        elif (found := _BLOCK_EXIT.search(text)) and self._block_rank is not None:
            self._exit(self._block_rank, found[1], found[2])
            self._block_rank = None
        elif found := _TASKS.search(text):
            for rank in _listed(found[1]):
                if (trail := self.trail(rank)) is not None:
                    trail.exit = found[2].strip()
        if (found := _KILLED.search(text)) and len(self.killed) < RANKS_MAX:
            self.killed.add(found[1])

    def _exit(self, rank: str, code: str, pid: str) -> None:
        trail = self.trail(rank)
        if trail is None:
            return
        number = int(code)
        name = _SIGNALS.get(-number, "")
        trail.exit = f"signal {-number}" + (f" ({name})" if name else "") if number < 0 else f"exit code {number}"
        if len(self.pids) < RANKS_MAX:
            self.pids[pid] = rank

    def _waits(self, line: Line) -> None:
        if found := _WATCHDOG.search(line.text):
            fields = dict(_FIELDS.findall(found[2]))
            trail = self.trail(found[1])
            if trail is not None and trail.waits_in is None:
                size = f" [{fields['NumelIn']} elements]" if "NumelIn" in fields else ""
                group = f" of group {fields['PG GUID']}" if "PG GUID" in fields else ""
                trail.waits_in = f"{fields.get('OpType', '?')} #{fields.get('SeqNum', '?')}{size}{group}"
        if (found := _COUNTS.search(line.text)) and (trail := self.trail(found[1])) is not None:
            trail.enqueued, trail.completed = int(found[2]), int(found[3])
        for rank, sequence, op, shape in _FINGERPRINT.findall(line.text):
            if len(self.fingerprints) < RANKS_MAX:
                self.fingerprints[rank] = f"{op} #{sequence}" + (f" [{shape}]" if shape else "")


def _weightier(known: Event | None, event: Event) -> Event:
    """Return the earlier of two consequences; that others are told to end says less than how one ended."""
    if known is not None and (_TOLD in known.line.text) != (_TOLD in event.line.text):
        return event if _TOLD in known.line.text else known
    return _earlier(known, event)


def _earlier(one: Event | None, other: Event) -> Event:
    return other if one is None or other.key < one.key else one


def _listed(text: str) -> Iterable[str]:
    """Yield the numbers of a list such as `0,3-5`."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            yield from map(str, range(int(first), min(int(last or first), int(first) + RANKS_MAX) + 1))
