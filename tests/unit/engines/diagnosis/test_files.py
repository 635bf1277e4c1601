"""Folders and archives: ranks of places, and hostile archives that must do no harm."""

import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from engines.diagnosis.files import ranks_of
from engines.diagnosis.reading import Reading, read_paths

LOG = b"step 1\nValueError: inside\n"


def texts(reading: Reading) -> list[str]:
    return [line.text for line in reading.lines]


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("logs/none_x/attempt_0/5/stderr.log", "5"),
        ("logs/rank_12.log", "12"),
        ("logs/rank0/stdout.txt", "0"),
        ("logs/slurm-123_7.out", "7"),
        ("logs/worker-3.log", "3"),
        ("run/hb/2.json", "2"),
        ("logs/train.log", None),
        ("logs/2026/all.txt", None),
    ],
)
def test_the_place_of_a_file_tells_its_rank(name: str, rank: str | None) -> None:
    assert ranks_of([name]).get(name) == rank


def test_local_ranks_of_several_nodes_are_counted_on() -> None:
    names = [f"node{node}/attempt_0/{local}/stderr.log" for node in range(2) for local in range(4)]
    assert [ranks_of(names)[name] for name in names] == [str(rank) for rank in range(8)]


def zip_of(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def tar_of(path: Path, *members: tuple[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_of_rank_folders_is_read(tmp_path: Path, mode: str) -> None:
    archive = tar_of(tmp_path / "logs.tar.any", ("attempt_0/3/stderr.log", LOG), ("notes", b"\0\1"), mode=mode)
    reading = read_paths([str(archive)])
    error = next(line for line in reading.lines if "inside" in line.text)
    assert (error.file, error.number, error.rank) == (f"{archive}!attempt_0/3/stderr.log", 2, "3")
    assert reading.skipped == [f"{archive}!notes: not a text"]


def test_a_zip_and_a_compressed_log_are_read(tmp_path: Path) -> None:
    assert texts(read_paths([str(zip_of(tmp_path / "a.zip", ("rank1.log", LOG)))])) == ["step 1", "ValueError: inside"]
    (tmp_path / "rank2.log.gz").write_bytes(gzip.compress(LOG))
    (tmp_path / "b.xz").write_bytes(lzma.compress(LOG))
    lines = read_paths([str(tmp_path / "rank2.log.gz")]).lines
    assert [line.rank for line in lines] == ["2", "2"]
    assert texts(read_paths([str(tmp_path / "b.xz")])) == ["step 1", "ValueError: inside"]


@pytest.mark.parametrize("name", ["../up.log", "/etc/abs.log", "a/../../up.log", "C:\\x.log"])
def test_paths_out_of_an_archive_are_refused(tmp_path: Path, name: str) -> None:
    for archive in (zip_of(tmp_path / "a.zip", (name, LOG)), tar_of(tmp_path / "a.tar", (name, LOG), mode="w")):
        reading = read_paths([str(archive)])
        assert not reading.lines
        assert "a path out of the archive" in reading.skipped[0]


def test_links_and_devices_in_an_archive_are_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret.log"
    secret.write_bytes(LOG)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for kind, name in (
            (tarfile.SYMTYPE, "s"),
            (tarfile.LNKTYPE, "h"),
            (tarfile.CHRTYPE, "d"),
            (tarfile.FIFOTYPE, "f"),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, str(secret)
            archive.addfile(info)
    link = zipfile.ZipInfo("s")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive_zip:
        archive_zip.writestr(link, str(secret))
    for name, count in (("a.tar", 4), ("a.zip", 1)):
        reading = read_paths([str(tmp_path / name)])
        assert not reading.lines
        assert len(reading.skipped) == count
        assert all("a link or no regular file" in told for told in reading.skipped)


def test_bombs_are_cut_off(tmp_path: Path) -> None:
    zeros = b"error 0\n" * (40 << 20 >> 3)  # 40 MB of one line compress by a factor of a thousand
    three = [("a.log", zeros), ("b.log", zeros), ("c.log", b"ValueError: last\n")]
    with gzip.open(tmp_path / "bomb.gz", "wb", compresslevel=9) as stream:
        for _ in range(4):
            stream.write(zeros)
    reading = read_paths([str(tmp_path / "bomb.gz"), str(zip_of(tmp_path / "bomb.zip", *three))])
    assert any("bomb.gz: expands too much" in told for told in reading.skipped)
    assert "ValueError: last" in texts(reading)


def test_a_zip_that_names_a_bomb_is_not_opened(tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "a.zip", ("big.log", b"x" * (70 << 20)), ("rank0.log", LOG))
    reading = read_paths([str(archive)])
    assert "big.log: expands to 73400320 bytes" in reading.skipped[0]
    assert "ValueError: inside" in texts(reading)


def test_an_archive_in_an_archive_is_left_alone(tmp_path: Path) -> None:
    inner = zip_of(tmp_path / "inner.zip", ("rank0.log", LOG)).read_bytes()
    reading = read_paths([str(zip_of(tmp_path / "outer.zip", ("inner.zip", inner)))])
    assert not reading.lines
    assert "an archive in an archive" in reading.skipped[0]


@pytest.mark.parametrize("head", [b"PK\x03\x04", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00"])
def test_a_damaged_archive_is_told(tmp_path: Path, head: bytes) -> None:
    (tmp_path / "a").write_bytes(head + b"damaged" * 100)
    reading = read_paths([str(tmp_path / "a")])
    assert not reading.lines
    assert "damaged" in reading.skipped[0]


def test_of_a_run_folder_the_newest_start_is_read(tmp_path: Path) -> None:
    for name in ("spec.json", "journal.jsonl"):
        (tmp_path / name).write_text("{}\n")
    (tmp_path / "approval.json").write_text('{"seal": "error"}\n')
    (tmp_path / "ckpt").mkdir()
    (tmp_path / "ckpt" / "log.txt").write_text("ValueError: of a checkpoint\n")
    for start, text in (("0001", "ValueError: old"), ("0002", "ValueError: new")):
        place = tmp_path / "attempts" / start / "log" / "x" / "attempt_0" / "1"
        place.mkdir(parents=True)
        (place / "stderr.log").write_text(text + "\n")
    (tmp_path / "hb").mkdir()
    (tmp_path / "hb" / "1.json").write_text('{"time": 1796037600.0, "step": 41, "phase": "forward"}')
    reading = read_paths([str(tmp_path)])
    assert texts(reading) == ["ValueError: new"]
    trail = reading.watch.ranks["1"]
    assert trail.progress is not None
    assert (trail.progress.at, trail.progress.line.text) == (1796037600.0, "step 41, forward")
