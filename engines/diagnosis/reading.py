"""Reads text of any size: files, folders, a stream; keeps what may matter, with its line numbers.

Memory is bounded: the beginning and the end of each file are kept, and of the rest the lines
that hold a word of trouble, each form of line a few times only.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from contracts.errors import FileUnreadable

LINE_CHARS_MAX = 4000
"""Characters of a line that are kept, half of them from its end."""
FILES_MAX = 2000
"""Files that are read of a folder."""
DEPTH_MAX = 8
"""Levels of folders that are entered."""
TEXT_CHARS_MAX = 200_000
"""Characters that are kept of everything together."""

_BLOCK_BYTES = 1 << 20
_FREE_CHARS = 32_000  # up to here every line is kept, whatever its form
_HEAD_BYTES, _TAIL_BYTES = 24_000, 8_000
_SAME_FORM_MAX = 3
_TROUBLE = tuple(
    word.encode()
    for word in (
        "error", "exception", "traceback", "warn", "fail", "kill", "signal", "exitcode", "timeout", "timed out",
        "watchdog", "out of memory", "xid", "no space", "assert", "abort", "cannot", "mismatch", "guessing",
        "duplicate", "shared memory", "refused", "reset by peer", "closed by", "in use", "unallocated",
        "recompil", "last enqueued", "sigterm", "saving", "killed", "nccl version", "acsctl",
    )
)  # fmt: skip
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_RANK = re.compile(r"^\s*(?:\[(?:rank|default|Rank )\s?(\d{1,6})\]:?|(\d{1,6}): )\s?", re.IGNORECASE)
_BOILERPLATE = re.compile(
    r"OMP_NUM_THREADS environment variable"
    r"|^\s*(?:compute_environment|debug|downcast_bf16|machine_rank|main_training_function"
    r"|same_network|tpu_\w+|use_cpu|num_machines|rdzv_backend|mixed_precision|distributed_type|fsdp_state_dict_type"
    r"|fsdp_sync_module_states|fsdp_cpu_ram_efficient_loading|fsdp_backward_prefetch\w*|fsdp_sharding_strategy)\s*:\s*\S+$"
    r"|^\s*(?!\w*use_orig_params)\w+\s*[:=]\s*(?:false|none|null|'?no'?)$|^Loading checkpoint shards: 100%"
    r"|^Setting OMP|libcudnn|^\W+$",
    re.IGNORECASE,
)
"""Lines that stand in every log and every configuration; what they say is no sign of anything."""
_FORM = re.compile(rb"0x[0-9a-f]+|\d+")


class Line(NamedTuple):
    """A line that was kept."""

    file: str
    """Path as given; `<stdin>` for standard input."""
    number: int
    """1-based."""
    rank: str | None
    """Rank of its prefix, as digits."""
    text: str
    """Its text without the prefix, escapes and control characters."""


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
    """How often each form of line was kept."""

    def keep(self, file: str, number: int, raw: bytes) -> None:
        """Keep a line unless there is enough of its form or of everything."""
        if not raw.strip() or self.chars >= TEXT_CHARS_MAX:
            return
        if self.chars > _FREE_CHARS:
            form = _FORM.sub(b"#", raw[:200].lower())
            if self.forms[form] >= _SAME_FORM_MAX:
                return
            self.forms[form] += 1
        rank, text = clean(raw)
        if _BOILERPLATE.search(text):
            return
        self.chars += len(text) + 1
        self.lines.append(Line(file, number, rank, text))


def read_paths(paths: Iterable[str], into: Reading | None = None) -> Reading:
    """Read files and folders.

    Args:
        paths: Files and folders.
        into: Reading to add to.

    Raises:
        FileUnreadable: A path does not exist or is not to be read.
    """
    reading = into if into is not None else Reading()
    for given in paths:
        path = Path(given)
        if path.is_dir():
            for file in _files_of(path, reading):
                _read_file(file, reading, named=False)
        else:
            _read_file(given, reading, named=True)
    return reading


def read_text(text: str, name: str = "<text>") -> Reading:
    """Read a text that is at hand."""
    import io

    return read_stream(io.BytesIO(text.encode("utf-8", "replace")), name)


def read_stream(stream: BinaryIO, name: str, into: Reading | None = None) -> Reading:
    """Read a stream of bytes to its end.

    Args:
        stream: Bytes of a text in UTF-8; what is not UTF-8 is replaced.
        name: What the lines are said to be of.
        into: Reading to add to.
    """
    reading = into if into is not None else Reading()
    reading.files += 1
    first, waiting = 1, b""
    for number, block in enumerate(_blocks(stream)):
        # The end of a file is known only once there is no more.
        _keep_middle(reading, name, first, waiting)
        first += waiting.count(b"\n")
        waiting = block
        if number == 0:
            cut = len(block) if len(block) <= _HEAD_BYTES else block.find(b"\n", _HEAD_BYTES) + 1 or len(block)
            first = _keep_all(reading, name, first, block[:cut])
            waiting = block[cut:]
    cut = 0 if len(waiting) <= _TAIL_BYTES else waiting.find(b"\n", len(waiting) - _TAIL_BYTES - 1) + 1
    _keep_middle(reading, name, first, waiting[:cut])
    _keep_all(reading, name, first + waiting.count(b"\n", 0, cut), waiting[cut:])
    return reading


def clean(raw: bytes) -> tuple[str | None, str]:
    """Return the rank of a line's prefix, and its text shortened and without control characters."""
    text = raw[: 4 * LINE_CHARS_MAX].decode("utf-8", "replace")
    if len(raw) > 4 * LINE_CHARS_MAX:
        text += raw[-2 * LINE_CHARS_MAX :].decode("utf-8", "replace")
    text = _CONTROLS.sub(" ", _ESCAPES.sub("", text)).strip()
    if len(text) > LINE_CHARS_MAX:
        half = LINE_CHARS_MAX // 2
        text = f"{text[:half]} ... {text[-half:]}"
    prefix = _RANK.match(text)
    if prefix is None:
        return None, text
    return prefix[1] or prefix[2], text[prefix.end() :].strip()


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield blocks that end with a line's end; a line longer than a block loses its middle."""
    rest = b""
    while chunk := stream.read(_BLOCK_BYTES):
        end = chunk.rfind(b"\n") + 1
        if not end:
            rest += chunk
            if len(rest) > _BLOCK_BYTES:
                rest = rest[: 8 * LINE_CHARS_MAX] + rest[-8 * LINE_CHARS_MAX :]
            continue
        yield rest + chunk[:end]
        rest = chunk[end:]
    if rest:
        yield rest


def _keep_all(reading: Reading, name: str, first: int, block: bytes) -> int:
    lines = block.split(b"\n")
    for offset, raw in enumerate(lines):
        reading.keep(name, first + offset, raw)
    return first + len(lines) - 1


def _keep_middle(reading: Reading, name: str, first: int, block: bytes) -> None:
    """Keep the lines of trouble."""
    low = block.lower()
    starts: set[int] = set()
    for word in _TROUBLE:
        at = low.find(word)
        while at >= 0:
            starts.add(low.rfind(b"\n", 0, at) + 1)
            end = low.find(b"\n", at)
            at = low.find(word, end) if end >= 0 else -1
    counted = 0
    for start in sorted(starts):
        first += block.count(b"\n", counted, start)
        counted = start
        end = block.find(b"\n", start)
        reading.keep(name, first, block[start : end if end >= 0 else len(block)])


def _read_file(path: str, reading: Reading, *, named: bool) -> None:
    try:
        if not Path(path).is_file():
            raise FileUnreadable(f"{path} is no file and no folder")
        with open(path, "rb") as stream:
            if b"\0" in stream.read(8192):
                reading.skipped.append(f"{path}: not a text")
                return
            stream.seek(0)
            read_stream(stream, path, reading)
    except OSError as error:
        if named:
            raise FileUnreadable(f"cannot read {path}: {error.strerror}") from None
        reading.skipped.append(f"{path}: {error.strerror}")


def _files_of(folder: Path, reading: Reading) -> Iterator[str]:
    """Yield the regular files below a folder in order of their names; links are left alone."""
    count = 0
    base = str(folder).count(os.sep)
    for where, folders, names in os.walk(folder):
        folders.sort()
        if where.count(os.sep) - base >= DEPTH_MAX:
            folders.clear()
        for name in sorted(names):
            path = Path(where) / name
            if path.is_symlink() or not path.is_file():
                reading.skipped.append(f"{path}: a link or no regular file")
                continue
            count += 1
            if count > FILES_MAX:
                reading.skipped.append(f"{folder}: more than {FILES_MAX} files")
                return
            yield str(path)
