"""Reads text of any size: files, folders, archives, a stream; keeps what may matter, with its line numbers.

Memory is bounded: the beginning and the end of each file are kept, and of the rest the lines
that hold a word of trouble, each form of line a few times only. What happened to each rank is
collected from all lines of trouble, also from those that are not kept.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from contracts.errors import FileUnreadable
from engines.diagnosis.files import files_of, opened, ranks_of
from engines.diagnosis.line import LINE_CHARS_MAX, Line, clean
from engines.diagnosis.recorder import Recording
from engines.diagnosis.special import HEAD_BYTES, HOLE, Rewound, read_special
from engines.diagnosis.stacks import Stack
from engines.diagnosis.timeline import Watch
from engines.diagnosis.trouble_words import BOILERPLATE, searcher

TEXT_CHARS_MAX = 200_000
"""Characters that are kept of everything together."""
CANDIDATES_MAX, CANDIDATES_OF_FILE_MAX = 5_000_000, 200_000
"""Lines of trouble that are looked at, of all files and of one; in what follows only the ends of files are."""

_BLOCK_BYTES = 1 << 20
_FREE_CHARS = 40_000  # up to here every line is kept, whatever its form
_HEAD_BYTES, _TAIL_BYTES = 24_000, 8_000
_SAME_FORM_MAX, _SAME_FORM_SEEN_MAX = 3, 4096
_BACK_BYTES, _BACK_LINES_MAX = 32_000, 300
_TRACEBACK_BYTES, _TRACEBACKS_MAX = 8_000, 24
_FORM = re.compile(rb"0x[0-9a-f]+|\d+")


@dataclass
class Reading:
    """What was read."""

    lines: list[Line] = field(default_factory=list)
    """Lines that were kept, in their order."""
    files: int = 0
    """Files that were read."""
    chars: int = 0
    """Characters that were kept."""
    skipped: list[str] = field(default_factory=list)
    """Files that were not read, with the reason."""
    forms: Counter[bytes] = field(default_factory=Counter)
    """How often each form of a line of trouble was seen."""
    watch: Watch = field(default_factory=Watch)
    """What happened to each rank."""
    recordings: list[Recording] = field(default_factory=list)
    """Dumps of flight recorders."""
    stacks: dict[int, Stack] = field(default_factory=dict)
    """Stack of the main thread of each rank."""
    actors: dict[str, str] = field(default_factory=dict)
    """Ranks of Ray's workers."""
    candidates: int = 0
    """Lines of trouble that were looked at."""
    tracebacks: int = 0
    """Tracebacks of which the frames were kept."""

    def keep(self, line: Line, form: bytes | None = None) -> None:
        """Keep a line unless there is enough of its form or of everything.

        Args:
            line: The line.
            form: Form of a line of trouble; others are kept only while there is plenty of room.
        """
        if not line.text or self.chars >= (TEXT_CHARS_MAX if form is not None else _FREE_CHARS):
            return
        if form is not None and self.chars > _FREE_CHARS and self.forms[form] > _SAME_FORM_MAX:
            return
        if BOILERPLATE.search(line.text):
            return
        self.chars += len(line.text) + 1
        self.lines.append(line)


def read_paths(paths: Iterable[str], into: Reading | None = None) -> Reading:
    """Read files, folders and archives.

    Args:
        paths: Files and folders.
        into: Reading to add to.

    Raises:
        FileUnreadable: A path does not exist or is not to be read.
    """
    reading = into if into is not None else Reading()
    for given in paths:
        if Path(given).is_dir():
            names = files_of(Path(given), reading.skipped)
            ranks = ranks_of(names)
            for name in names:
                _read_file(name, reading, ranks.get(name), named=False)
        else:
            _read_file(given, reading, ranks_of([given]).get(given), named=True)
    return reading


def read_text(text: str, name: str = "<text>") -> Reading:
    """Read a text that is at hand."""
    import io

    return read_stream(io.BytesIO(text.encode("utf-8", "replace")), name)


def read_stream(stream: BinaryIO, name: str, into: Reading | None = None, rank: str | None = None) -> Reading:
    """Read a stream of bytes to its end.

    Args:
        stream: Bytes of a text in UTF-8; what is not UTF-8 is replaced.
        name: What the lines are said to be of.
        into: Reading to add to.
        rank: Rank of the lines that name none.
    """
    reading = into if into is not None else Reading()
    reading.files += 1
    text = _Text(reading, name, rank)
    first, waiting = 1, b""
    for number, block in enumerate(_blocks(stream)):
        # The end of a file is known only once there is no more.
        text.middle(first, waiting)
        first += waiting.count(b"\n")
        waiting = block
        if number == 0 and reading.chars < _FREE_CHARS:
            cut = len(block) if len(block) <= _HEAD_BYTES else block.find(b"\n", _HEAD_BYTES) + 1 or len(block)
            first = text.all(first, block[:cut])
            waiting = block[cut:]
    cut = 0 if len(waiting) <= _TAIL_BYTES else waiting.find(b"\n", len(waiting) - _TAIL_BYTES - 1) + 1
    text.middle(first, waiting[:cut])
    text.all(first + waiting.count(b"\n", 0, cut), waiting[cut:])
    return reading


@dataclass
class _Text:
    """One text on its way into a reading."""

    reading: Reading
    name: str
    rank: str | None
    candidates: int = 0

    def line(self, number: int, raw: bytes) -> Line:
        rank, text = clean(raw, self.reading.actors)
        return Line(self.name, number, rank if rank is not None else self.rank, text)

    def all(self, first: int, block: bytes) -> int:
        """Take in every line; return the number of the line after them."""
        lines = block.split(b"\n")
        trouble = searcher()
        for offset, raw in enumerate(lines):
            if not raw.strip():
                continue
            line = self.line(first + offset, raw)
            self.reading.keep(line, self._form(raw) if trouble.find_matches_as_indexes(raw) else None)
            self.reading.watch.see(line)
        return first + len(lines) - 1

    def middle(self, first: int, block: bytes) -> None:
        """Take in the lines of trouble."""
        counted = end = 0
        if not block or self._is_enough():
            return
        for _, at, _ in searcher().find_matches_as_indexes(block):
            if at < end:  # on a line that was taken already
                continue
            if self._is_enough():
                return
            start = block.rfind(b"\n", 0, at) + 1
            end = block.find(b"\n", at)
            end = end if end >= 0 else len(block)
            first += block.count(b"\n", counted, start)
            counted = start
            self._candidate(first, block, start, end)

    def _candidate(self, number: int, block: bytes, start: int, end: int) -> None:
        reading = self.reading
        reading.candidates += 1
        self.candidates += 1
        raw = block[start:end]
        form = self._form(raw)
        if reading.forms[form] > _SAME_FORM_SEEN_MAX:
            return
        line = self.line(number, raw)
        reading.keep(line, form)
        if reading.watch.see(line):
            before = block[max(0, start - _BACK_BYTES) : start].split(b"\n")[-_BACK_LINES_MAX:]
            reading.watch.before(line, (self.line(number, past) for past in reversed(before) if past))
        if b"Traceback (most recent" in raw and reading.tracebacks < _TRACEBACKS_MAX:
            reading.tracebacks += 1
            for offset, frame in enumerate(block[end + 1 : end + _TRACEBACK_BYTES].split(b"\n")[:60], start=1):
                # Frames hold no word of trouble; those that do come by themselves.
                if not searcher().find_matches_as_indexes(frame):
                    reading.keep(self.line(number + offset, frame), b"frame")

    def _is_enough(self) -> bool:
        return self.reading.candidates >= CANDIDATES_MAX or self.candidates >= CANDIDATES_OF_FILE_MAX

    def _form(self, raw: bytes) -> bytes:
        form = _FORM.sub(b"#", raw[:200].lower())
        self.reading.forms[form] += 1
        return form


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield blocks that end with a line's end; a line longer than a block loses its middle."""
    rest = b""
    while raw := stream.read(_BLOCK_BYTES):
        chunk = HOLE.sub(b"", raw) if b"\0" in raw else raw
        end = chunk.rfind(b"\n") + 1
        if not end:
            rest += chunk
            rest = rest if len(rest) <= _BLOCK_BYTES else rest[: 8 * LINE_CHARS_MAX] + rest[-8 * LINE_CHARS_MAX :]
            continue
        yield rest + chunk[:end]
        rest = chunk[end:]
    if rest:
        yield rest


def _read_file(path: str, reading: Reading, rank: str | None, *, named: bool) -> None:
    try:
        if not Path(path).is_file():
            raise FileUnreadable(f"{path} is no file and no folder")
        with open(path, "rb") as stream:
            head = stream.read(HEAD_BYTES)
            stream.seek(0)
            members = opened(path, stream, head, reading.skipped)
            if members is None:
                _read_content(path, rank, stream, reading)
            else:
                for member in members:
                    _read_content(member.name, member.rank, member.stream, reading, inside=True)
    except OSError as error:
        if named:
            raise FileUnreadable(f"cannot read {path}: {error.strerror}") from None
        reading.skipped.append(f"{path}: {error.strerror}")


def _read_content(name: str, rank: str | None, stream: BinaryIO, reading: Reading, *, inside: bool = False) -> None:
    head = stream.read(HEAD_BYTES)
    whole = cast(BinaryIO, Rewound(head, stream))
    text = read_special(name, rank, head, whole, reading, inside=inside)
    if text is not None:
        read_stream(text, name, reading, rank)
