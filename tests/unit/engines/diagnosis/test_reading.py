"""Reading: line numbers and ranks are kept, memory is bounded, hostile bytes are harmless."""

import io
from pathlib import Path

import pytest

from contracts.errors import FileUnreadable
from engines.diagnosis.reading import LINE_CHARS_MAX, TEXT_CHARS_MAX, read_paths, read_stream, read_text


@pytest.mark.parametrize(
    ("line", "rank", "text"),
    [
        ("[rank3]: ValueError: x", "3", "ValueError: x"),
        ("[default0]:step 1", "0", "step 1"),
        ("12: NCCL WARN y", "12", "NCCL WARN y"),
        ("[rank1]:[E ProcessGroupNCCL.cpp:616] z", "1", "[E ProcessGroupNCCL.cpp:616] z"),
        ("port: 29500", None, "port: 29500"),
    ],
)
def test_prefixes_of_launchers_name_the_rank(line: str, rank: str | None, text: str) -> None:
    (kept,) = read_text(line).lines
    assert (kept.rank, kept.text) == (rank, text)


def test_escapes_and_control_characters_are_taken_out() -> None:
    (kept,) = read_text("\x1b[31mError\x1b[0m: \x1b]0;title\x07red\x00 \u202etxt").lines
    assert kept.text == "Error: red   txt"


def test_what_is_not_utf_8_is_replaced() -> None:
    (kept,) = read_stream(io.BytesIO(b"Error \xff\xfe here"), "<stdin>").lines
    assert kept.text == "Error \ufffd\ufffd here"
    assert kept.file == "<stdin>"


def test_a_very_long_line_keeps_its_head_and_its_tail() -> None:
    stream = io.BytesIO(b"first\n" + b"HEAD error " + b"x" * (9 << 20) + b"TAIL\nlast error\n")
    kept = read_stream(stream, "log").lines
    long = next(line for line in kept if line.number == 2)
    assert long.text.startswith("HEAD")
    assert long.text.endswith("TAIL")
    assert len(long.text) <= LINE_CHARS_MAX + 5
    assert (kept[-1].number, kept[-1].text) == (3, "last error")


def test_the_one_line_of_trouble_in_a_large_log_is_kept_with_its_number() -> None:
    lines = [f"[rank{number % 8}]: step {number} loss 1.{number}" for number in range(200_000)]
    lines[120_000] = "[rank5]: torch.OutOfMemoryError: CUDA out of memory."
    reading = read_text("\n".join(lines), "log")
    found = [line for line in reading.lines if "OutOfMemoryError" in line.text]
    assert [(line.number, line.rank) for line in found] == [(120_001, "5")]
    assert reading.lines[-1].number == 200_000
    assert reading.chars <= TEXT_CHARS_MAX + LINE_CHARS_MAX


def test_a_folder_is_read_without_its_links_and_binary_files(tmp_path: Path) -> None:
    outside = tmp_path / "outside.log"
    outside.write_text("secret error\n")
    folder = tmp_path / "logs"
    (folder / "rank0").mkdir(parents=True)
    (folder / "rank0" / "stderr.log").write_text("ValueError: inside\n")
    (folder / "link.log").symlink_to(outside)
    (folder / "dump.bin").write_bytes(b"error\0error")
    reading = read_paths([str(folder)])
    assert [line.text for line in reading.lines] == ["ValueError: inside"]
    assert len(reading.skipped) == 2


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match=r"gone\.log"):
        read_paths([str(tmp_path / "gone.log")])
