"""Finds what is to be read: files, folders, archives. Nothing is unpacked to disk, no link is followed."""

import bz2
import gzip
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, NamedTuple, cast

FILES_MAX = 65_536
"""Files that are read of a folder or an archive."""
DEPTH_MAX = 8
"""Levels of folders that are entered."""
EXPANDED_MAX_BYTES = 8 << 30
"""Bytes that are taken out of one archive."""
_RATIO_MAX = 400
_RATIO_FREE_BYTES = 64 << 20  # up to here no ratio is asked for: a log may be very repetitive

_NO_LOG = (".proc.txt", "sockets.txt", "heartbeats.json", "launch.json", "torchrun.pid")  # of a run of ours
_BROKEN = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    RuntimeError,
    ValueError,
)
_RANK = re.compile(
    r"attempt_\d+/(?P<torchrun>\d{1,6})/(?:stdout|stderr|error)|rank[_-]?(?P<rank>\d{1,6})"
    r"|(?:worker|replica|pod|task|proc)[_-]?(?P<worker>\d{1,6})|slurm-\d+[_.](?P<task>\d{1,6})\.(?:out|err)"
    r"|(?:stdout|stderr|log|out|err|stack|hb)[._/-](?P<last>\d{1,6})(?:\.(?:log|txt|out|err|json))?$",
    re.IGNORECASE,
)
_NODE = re.compile(r"(?:^|/)(?:node|host|machine)[_-]?(\d{1,5})(?=[/._-])", re.IGNORECASE)


class Found(NamedTuple):
    """A file to read."""

    name: str
    """Path as given; for a member `archive!member`."""
    rank: str | None
    """Rank that its place tells."""
    stream: BinaryIO
    """Its bytes; valid until the next one is asked for."""


def files_of(folder: Path, skipped: list[str]) -> list[str]:
    """Return the regular files below a folder in order of their names; links are left alone.

    Of a run folder of ours only the newest start is read.
    """
    found: list[str] = []
    base = str(folder).count(os.sep)
    for where, folders, here in os.walk(folder):
        folders.sort()
        names = sorted(here)
        if where.count(os.sep) - base >= DEPTH_MAX:
            folders.clear()
        if "attempts" in folders and {"spec.json", "journal.jsonl"} <= set(here):
            # What concerns secrets, checkpoints and earlier starts says nothing of this failure.
            folders[:] = [name for name in folders if name in ("attempts", "hb")]
            names = [name for name in names if name in ("result.json", "supervisor.log")]
        elif Path(where).name == "attempts" and (starts := [name for name in folders if name.isdecimal()]):
            folders[:] = [max(starts, key=int)]
        for name in names:
            if name.endswith(_NO_LOG):
                continue
            path = Path(where) / name
            if path.is_symlink() or not path.is_file():
                skipped.append(f"{path}: a link or no regular file")
            elif len(found) >= FILES_MAX:
                skipped.append(f"{folder}: more than {FILES_MAX} files")
                return found
            else:
                found.append(str(path))
    return found


def ranks_of(names: Iterable[str]) -> dict[str, str]:
    """Return the ranks that the places of files tell; local ranks of several nodes are counted on."""
    local: dict[str, tuple[int, int]] = {}
    for name in names:
        matches = list(_RANK.finditer(name.replace(os.sep, "/")))
        if matches:
            node = _NODE.search(name.replace(os.sep, "/")) if matches[-1].lastgroup == "torchrun" else None
            local[name] = (int(node[1]) if node else 0, int(matches[-1][matches[-1].lastgroup or 0]))
    per_node = 1 + max((rank for _, rank in local.values()), default=0)
    return {name: str(node * per_node + rank) for name, (node, rank) in local.items()}


def opened(name: str, stream: BinaryIO, head: bytes, skipped: list[str]) -> Iterator[Found] | None:
    """Return the members of an archive, or the one file that is compressed; None where it is neither.

    Args:
        name: Path as given.
        stream: The file, at its beginning.
        head: Its first 512 bytes or more.
        skipped: Takes what is refused, with the reason.
    """
    if head.startswith(b"PK\x03\x04"):
        return _members_of_zip(name, stream, skipped)
    openers: dict[bytes, Callable[[BinaryIO], IO[bytes]]] = {
        b"\x1f\x8b": lambda raw: cast(IO[bytes], gzip.GzipFile(fileobj=raw)),
        b"BZh": bz2.BZ2File,
        b"\xfd7zXZ\x00": lzma.LZMAFile,
    }
    for magic, opener in openers.items():
        if head.startswith(magic):
            return _compressed(name, stream, opener, skipped)
    return _members_of_tar(name, stream, skipped) if head[257:262] == b"ustar" else None


def _compressed(
    name: str, stream: BinaryIO, opener: Callable[[BinaryIO], IO[bytes]], skipped: list[str]
) -> Iterator[Found]:
    raw = _Counted(stream)
    try:
        start = opener(cast(BinaryIO, raw)).read(512)
        stream.seek(0)
        raw.count = 0
        inner = _Bounded(opener(cast(BinaryIO, raw)), raw, name, skipped)
        if start[257:262] == b"ustar":
            yield from _members_of_tar(name, cast(BinaryIO, inner), skipped)
        else:
            bare = re.sub(r"\.(?:gz|bz2|xz)$", "", name)
            yield Found(name, ranks_of([bare]).get(bare), cast(BinaryIO, inner))
    except _BROKEN as error:
        skipped.append(f"{name}: damaged ({error})")


def _members_of_tar(name: str, stream: BinaryIO, skipped: list[str]) -> Iterator[Found]:
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for count, member in enumerate(archive):
                full = f"{name}!{member.name}"
                if count >= FILES_MAX:
                    skipped.append(f"{name}: more than {FILES_MAX} members")
                    return
                if member.isdir():
                    continue
                if reason := _refused(member.name, regular=member.isreg() and not member.issparse()):
                    skipped.append(f"{full}: {reason}")
                elif (content := archive.extractfile(member)) is not None:
                    yield Found(full, ranks_of([member.name]).get(member.name), cast(BinaryIO, content))
    except _BROKEN as error:
        skipped.append(f"{name}: damaged ({error})")


def _members_of_zip(name: str, stream: BinaryIO, skipped: list[str]) -> Iterator[Found]:
    try:
        with zipfile.ZipFile(stream) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > FILES_MAX:
                skipped.append(f"{name}: more than {FILES_MAX} members")
            expanded = 0
            for member in members[:FILES_MAX]:
                full = f"{name}!{member.filename}"
                regular = not stat.S_ISLNK(member.external_attr >> 16)
                expanded += member.file_size
                bomb = member.file_size > max(_RATIO_FREE_BYTES, _RATIO_MAX * member.compress_size)
                if reason := _refused(member.filename, regular=regular):
                    skipped.append(f"{full}: {reason}")
                elif bomb or expanded > EXPANDED_MAX_BYTES:
                    skipped.append(f"{full}: expands to {member.file_size} bytes, that is not read")
                else:
                    with archive.open(member) as content:
                        # The size in the directory may lie: what comes out is counted as well.
                        raw = _Fixed(max(member.compress_size, 1))
                        bounded = _Bounded(content, raw, full, skipped)
                        yield Found(full, ranks_of([member.filename]).get(member.filename), cast(BinaryIO, bounded))
    except _BROKEN as error:
        skipped.append(f"{name}: damaged ({error})")


def _refused(member: str, *, regular: bool) -> str | None:
    path = PurePosixPath(member.replace("\\", "/"))
    if not regular:
        return "a link or no regular file"
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", member):
        return "a path out of the archive"
    return None


class _Fixed:
    """A number of compressed bytes that is known beforehand."""

    def __init__(self, count: int) -> None:
        self.count = count


class _Counted(_Fixed):
    """A stream that counts what is read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(0)
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.count += len(data)
        return data

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


class _Bounded:
    """What comes out of a compressed stream, up to a bound on its size and on how much it grew."""

    def __init__(self, stream: IO[bytes], raw: _Fixed, name: str, skipped: list[str]) -> None:
        self._stream, self._raw, self._name, self._skipped = stream, raw, name, skipped
        self._count, self._ended = 0, False

    def read(self, size: int = -1) -> bytes:
        """Read on; nothing more is there once a bound is reached."""
        if self._ended:
            return b""
        try:
            data = self._stream.read(min(size, 1 << 20) if size >= 0 else 1 << 20)
        except _BROKEN as error:
            self._skipped.append(f"{self._name}: damaged ({error})")
            data = b""
        self._count += len(data)
        grown = self._count > max(_RATIO_FREE_BYTES, _RATIO_MAX * self._raw.count)
        if grown or self._count > EXPANDED_MAX_BYTES:
            self._skipped.append(f"{self._name}: expands too much; what follows {self._count} bytes is not read")
            self._ended = True
        return data
