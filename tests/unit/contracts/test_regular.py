"""Only regular files are read, and no more of them than is allowed; nothing waits for a writer."""

import os
from pathlib import Path

import pytest

from contracts.canonical import file_sha256
from contracts.errors import FileUnreadable, FsdpAgentError
from contracts.regular import open_regular, read_whole
from engines.review.engine import review_paths
from engines.review.settings import settings_file
from engines.sizing.dryrun_trace import read_trace
from engines.sizing.hf_config import read_folder
from interfaces.service_review import Options, review

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(params=["fifo", "endless"])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A FIFO that nobody writes into, or a link to a device without an end."""
    path = tmp_path / "odd.py"
    if request.param == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    return path


def test_what_is_no_regular_file_is_refused_before_it_is_read(odd: Path) -> None:
    for read in (open_regular, file_sha256, lambda path: read_whole(path, 10)):
        with pytest.raises(OSError, match="not a regular file"):
            read(odd)


def test_a_file_of_the_most_bytes_is_read_and_a_larger_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "ten"
    path.write_bytes(b"0123456789")
    assert read_whole(path, 10) == b"0123456789"
    with pytest.raises(OSError, match="more than the 9 bytes"):
        read_whole(path, 9)


def test_a_file_that_says_it_is_empty_and_is_not_stays_bounded() -> None:
    assert Path("/proc/self/maps").stat().st_size == 0
    with pytest.raises(OSError, match="more than the 16 bytes"):
        read_whole("/proc/self/maps", 16)


def test_review_says_that_it_is_not_read(odd: Path) -> None:
    (odd.parent / "good.py").write_text("x = 1\n")
    named = review_paths([odd])
    assert named.unreadable == (f"{odd}: not a regular file",)
    assert named.files == ()


def test_review_of_a_folder_goes_on_beside_a_fifo(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "train.py")
    os.mkfifo(tmp_path / "job.sbatch")
    (tmp_path / "good.py").write_text("x = 1\n")
    result = review_paths([tmp_path])
    assert result.files == (str(tmp_path / "good.py"),)
    assert len(result.unreadable) == 2


def test_settings_and_baseline_do_not_wait(odd: Path, tmp_path: Path) -> None:
    good = tmp_path / "sub" / "good.py"
    good.parent.mkdir()
    good.write_text("x = 1\n")
    (good.parent / "pyproject.toml").symlink_to(odd)
    found = settings_file([good])
    assert found is None or found.parent != good.parent
    with pytest.raises(FileUnreadable, match="not a regular file"):
        review([str(good)], Options(baseline=str(odd)))


def test_a_model_and_a_trace_are_regular_files(odd: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").symlink_to(odd)
    for read, path in ((read_folder, tmp_path), (read_trace, odd)):
        with pytest.raises(FsdpAgentError, match="not a regular file"):
            read(path)
