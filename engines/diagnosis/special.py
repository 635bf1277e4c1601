"""Files that are no plain log: dumps of flight recorders, stacks, error files, heartbeats, memory snapshots."""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from contracts.errors import FileUnreadable
from engines.diagnosis.line import Line
from engines.diagnosis.plainpickle import BYTES_MAX, load_plain
from engines.diagnosis.recorder import is_recording, read_recording
from engines.diagnosis.stacks import is_stack, read_stacks, told
from engines.diagnosis.timeline import Event

if TYPE_CHECKING:
    from engines.diagnosis.reading import Reading

HEAD_BYTES = 8192
"""Bytes by which a file's kind is told."""

_STACK_BYTES_MAX = 4 << 20
_JSON_BYTES_MAX = 1 << 20
_FRAMES_KEPT = 8
_PID = re.compile(r"(?:rank-(\d{1,6})-\d+|rank[_-]?(\d{1,6})|stack-(\d{1,6}))")
_ARCHIVE = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
HOLE = re.compile(rb"\0{16,}")
"""A block of a text that was never written."""
_LOG = re.compile(r"\.(?:log|txt|out|err|md|jsonl)$|(?:^|/)(?:stdout|stderr)$")
_NO_TEXT = re.compile(r"[\x01-\x06\x0e-\x1a\x1c-\x1f]")
_ENCODINGS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Rewound:
    """A stream of which the beginning was read already."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        """Put the beginning back."""
        self._head, self._stream = head, stream

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        if self._head:
            data, self._head = (self._head, b"") if size < 0 else (self._head[:size], self._head[size:])
            return data if size >= 0 else data + self._stream.read()
        return self._stream.read(size)


class _Decoded:
    """A stream in another encoding, as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder(encoding)("replace")

    def read(self, size: int) -> bytes:
        while raw := self._stream.read(size):
            if data := self._decoder.decode(raw).encode("utf-8", "replace"):
                return data
        return self._decoder.decode(b"", final=True).encode("utf-8", "replace")


def read_special(
    name: str, rank: str | None, head: bytes, stream: BinaryIO, reading: "Reading", *, inside: bool
) -> BinaryIO | None:
    """Read a file that is no plain log into a reading.

    Args:
        name: Path as given.
        rank: Rank that its place tells.
        head: Its first bytes.
        stream: All of it.
        reading: What is added to.
        inside: Whether it comes out of an archive.

    Returns:
        The stream to read as a text; None where there is nothing more to read.
    """
    for mark, encoding in _ENCODINGS.items():
        if head.startswith(mark):
            return cast(BinaryIO, _Decoded(stream, encoding))
    try:
        if inside and head.startswith(_ARCHIVE):
            raise FileUnreadable(f"{name}: an archive in an archive")
        if is_recording(head):
            reading.recordings.append(read_recording(_bytes(stream, BYTES_MAX), name, rank))
        elif is_stack(head):
            _take_stacks(name, rank, _bytes(stream, _STACK_BYTES_MAX), reading)
        elif _is_snapshot(head):
            _take_lines(name, rank, _snapshot(load_plain(_bytes(stream, BYTES_MAX))), reading)
        elif PurePath(name).name.endswith("error.json") or head.lstrip().startswith(b'{"message": {'):
            _take_lines(name, rank, _error_lines(_bytes(stream, _JSON_BYTES_MAX)), reading)
        elif rank is not None and PurePath(name).parent.name == "hb":
            _take_heartbeat(name, rank, _bytes(stream, _JSON_BYTES_MAX), reading)
        elif b"\0" in head and not _is_text_with_holes(name, head):
            raise FileUnreadable(f"{name}: not a text")
        else:
            return stream
    except (FileUnreadable, OSError) as error:
        reading.skipped.append(str(error))
        return None
    reading.files += 1
    return None


def _is_text_with_holes(name: str, head: bytes) -> bool:
    """Tell whether the first bytes are a text but for blocks of NULs, as a file system leaves where a write was lost.

    Single NULs are taken for text where a file is called a log. A character that the end of `head` cuts is no fault.
    """
    rest = HOLE.sub(b"", head)
    if b"\0" in rest and not _LOG.search(name):
        return False
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(rest.replace(b"\0", b""))
    except UnicodeDecodeError:
        return False
    return _NO_TEXT.search(text) is None


def _bytes(stream: BinaryIO, at_most: int) -> bytes:
    parts, size = [], 0
    while size <= at_most and (chunk := stream.read(1 << 20)):
        parts.append(chunk)
        size += len(chunk)
    return b"".join(parts)


def _take_stacks(name: str, rank: str | None, data: bytes, reading: "Reading") -> None:
    found = _PID.search(PurePath(name).name)
    named = next((digits for digits in found.groups() if digits), None) if found else rank
    for count, stack in enumerate(read_stacks(data.decode("utf-8", "replace").splitlines())):
        number = int(named) if named is not None else len(reading.stacks)
        if named is None or count == 0:
            reading.stacks.setdefault(number, stack)
        for frame in stack.frames[:_FRAMES_KEPT]:
            reading.keep(Line(name, 1, str(number), told(frame)), b"stack")


def _take_lines(name: str, rank: str | None, lines: Iterator[str], reading: "Reading") -> None:
    for text in lines:
        line = Line(name, 1, rank, text.strip()[:4000])
        reading.keep(line, text[:200].lower().encode())
        reading.watch.see(line)


def _take_heartbeat(name: str, rank: str, data: bytes, reading: "Reading") -> None:
    try:
        beat = json.loads(data)
        at, step, phase = float(beat["time"]), beat.get("step"), beat.get("phase")
    except (ValueError, TypeError, KeyError, RecursionError):
        raise FileUnreadable(f"{name}: no heartbeat") from None
    trail = reading.watch.trail(rank)
    if trail is not None:
        trail.progress = Event(Line(name, 1, rank, f"step {step}, {phase}"), reading.watch.seen, at)


def _error_lines(data: bytes) -> Iterator[str]:
    """Yield the message and the traceback of torchelastic's error file."""
    try:
        message = json.loads(data)["message"]
    except (ValueError, TypeError, KeyError, RecursionError):
        yield from data.decode("utf-8", "replace").splitlines()
        return
    if not isinstance(message, dict):
        yield str(message)
        return
    extra = message.get("extraInfo")
    extra = extra if isinstance(extra, dict) else {}
    yield from str(extra.get("py_callstack", "")).splitlines()
    yield str(message.get("message", ""))


def _is_snapshot(head: bytes) -> bool:
    return head[:1] == b"\x80" and (b"segments" in head or b"device_traces" in head)


def _snapshot(dump: Any) -> Iterator[str]:
    """Yield a summary of a memory snapshot: what is reserved, allocated, and free in one piece."""
    segments = dump.get("segments") if isinstance(dump, dict) else None
    if not isinstance(segments, list):
        raise FileUnreadable("no memory snapshot")
    reserved = allocated = largest = 0
    for segment in segments:
        if isinstance(segment, dict):
            reserved += _int(segment.get("total_size"))
            allocated += _int(segment.get("allocated_size"))
            blocks = segment.get("blocks")
            for block in blocks if isinstance(blocks, list) else ():
                if isinstance(block, dict) and block.get("state") == "inactive":
                    largest = max(largest, _int(block.get("size")))
    mib = 1 << 20
    yield (
        f"memory snapshot: {reserved / mib:.0f} MiB reserved in {len(segments)} segments, {allocated / mib:.0f} MiB"
        f" allocated, {(reserved - allocated) / mib:.0f} MiB reserved but unallocated, of which the largest piece is"
        f" {largest / mib:.0f} MiB"
    )


def _int(value: object) -> int:
    return int(value) if isinstance(value, int) else 0
