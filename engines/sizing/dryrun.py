"""A dry run's allocation trace, replayed through the same model of the allocator as the prediction."""

from dataclasses import dataclass

from engines.sizing.allocator import Block, CachingAllocator
from engines.sizing.buffers import DEFAULT_STREAM
from engines.sizing.dryrun_trace import HOST_STREAM, DryrunTrace, Event
from engines.sizing.peak import Peak
from engines.sizing.step import CUBLAS_WORKSPACE_BYTES

PARTS = ("parameters", "optimizer_state", "gradients", "activations", "unsharded_groups")
"""Components by name; all else is the work of the phase."""


@dataclass(frozen=True)
class Replayed:
    """What the replay found, in bytes."""

    active: int
    """Peak of the allocated bytes."""
    reserved: int
    """Peak of the reserved bytes."""
    first_step: int
    """Reserved bytes at the end of the first step."""
    peak: Peak
    """Where the allocated bytes peak."""
    phase_peaks: dict[str, int]
    """Peak of the allocated bytes in each phase."""
    default_peaks: dict[str, int]
    """The same on the default stream alone."""
    most: dict[str, int]
    """Most bytes that each component ever had."""
    pools: dict[str, int]
    """Reserved bytes by stream."""
    host: int
    """Peak of the bytes in host memory."""


def replay_trace(trace: DryrunTrace, *, expandable: bool) -> Replayed:
    """Replay a trace.

    Args:
        trace: Whole steps; the first creates the optimizer's state.
        expandable: expandable_segments:True.
    """
    run = _Replaying(expandable)
    for place, event in enumerate(trace.events):
        run.take(event, trace.kinds.get(place, "working"))
    allocator = run.allocator
    pools = {trace.streams.get(number, str(number)): allocator.reserved_by(number) for number in sorted(run.streams)}
    return Replayed(
        allocator.peak_active,
        allocator.reserved,
        run.first_step if run.first_step is not None else allocator.reserved,
        run.peak,
        run.phase_peaks,
        run.default_peaks,
        run.most,
        pools,
        run.host_peak,
    )


class _Replaying:
    """The state of a replay."""

    def __init__(self, expandable: bool) -> None:
        self.allocator = CachingAllocator(expandable=expandable)
        self.first_step: int | None = None
        self.peak = Peak()
        self.phase_peaks: dict[str, int] = {}
        self.default_peaks: dict[str, int] = {}
        self._default = 0
        self.most = dict.fromkeys((*PARTS, "working"), 0)
        self.streams: set[int] = set()
        self.host_peak = 0
        self._host = 0
        self._phase = "start"
        self._now = dict(self.most)
        self._blocks: dict[int, tuple[Block, str]] = {}
        self._in_host: dict[int, int] = {}

    def take(self, event: Event, part: str) -> None:
        """Apply one event."""
        if event.kind == "a":
            self._begin(event, part)
        elif event.kind in ("f", "r"):
            self._end(event.number)
        elif event.kind == "m":
            if event.phase != "blocks_done":  # no phase of its own
                self._phase = event.phase
        elif event.kind == "s":
            self.first_step = self.allocator.reserved if self.first_step is None else self.first_step
        elif event.kind == "w":
            self._note("working", 0, self.allocator.malloc(CUBLAS_WORKSPACE_BYTES))

    def _begin(self, event: Event, part: str) -> None:
        number = event.number
        if event.stream == HOST_STREAM:
            self._in_host[number] = event.size
            self._host += event.size
            self.host_peak = max(self.host_peak, self._host)
            return
        self.streams.add(event.stream)
        block = self.allocator.malloc(event.size, event.stream)
        self._blocks[number] = block, part
        self._note(part, block.size, block)

    def _note(self, part: str, size: int, block: Block) -> None:
        self._now[part] += size
        if block.pool.stream == DEFAULT_STREAM:
            self._default += block.size
            self.default_peaks[self._phase] = max(self._default, self.default_peaks.get(self._phase, 0))
        self.most[part] = max(self.most[part], self._now[part])
        active = self.allocator.active
        if active > self.phase_peaks.get(self._phase, 0):
            self.phase_peaks[self._phase] = active
            if active >= self.allocator.peak_active:
                parts = {name: self._now[name] for name in PARTS}
                self.peak = Peak(self._phase, parts | {"working": active - sum(parts.values())})

    def _end(self, number: int) -> None:
        if number in self._in_host:
            self._host -= self._in_host.pop(number)
            return
        block, part = self._blocks.pop(number)
        self._now[part] -= block.size
        if block.pool.stream == DEFAULT_STREAM:
            self._default -= block.size
        self.allocator.release(block)
