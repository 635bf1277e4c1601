"""Events and logs of a job that may write anything."""

import json
import math
import os
import tracemalloc
from pathlib import Path

import pytest

from runners.cleaning import printable
from runners.reading import LINE_LIMIT_BYTES, newest_step, parse_event, read_events, read_logs
from runners.rundir import AttemptDir


def _line(step: int, **more: object) -> bytes:
    return json.dumps({"kind": "step", "time": 1.0, "step": step, **more}).encode() + b"\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def _steps(page: object) -> list[int | None]:
    return [event.step for event in page.events]  # type: ignore[attr-defined]


class TestEvents:
    def test_no_file_yet(self, log: Path) -> None:
        page = read_events(log, 0, 10)
        assert (page.events, page.cursor, page.skipped) == ((), 0, 0)

    def test_the_cursor_is_the_byte_after_the_last_whole_line(self, log: Path) -> None:
        log.write_bytes(_line(1) + _line(2) + _line(3)[:-5])
        page = read_events(log, 0, 10)
        assert _steps(page) == [1, 2]
        assert page.cursor == len(_line(1) + _line(2))
        assert read_events(log, page.cursor, 10) == page.model_copy(update={"events": ()})
        log.write_bytes(_line(1) + _line(2) + _line(3))
        assert _steps(read_events(log, page.cursor, 10)) == [3]

    def test_pages(self, log: Path) -> None:
        log.write_bytes(b"".join(_line(step) for step in range(10)))
        cursor, seen = 0, []
        while (page := read_events(log, cursor, 3)).cursor > cursor:
            assert len(page.events) <= 3
            seen += _steps(page)
            cursor = page.cursor
        assert seen == list(range(10))

    @pytest.mark.parametrize(
        "junk",
        [
            b"\x00\xff\xfe binary\n",
            b"{broken\n",
            b"[1, 2]\n",
            b'"text"\n',
            b"[" * 5000 + b"\n",
            b'{"kind": "step"}\n',
            b'{"kind": "step", "time": -1}\n',
            b'{"kind": "step", "time": 1, "step": "many"}\n',
            b'{"kind": "step", "time": 1, "loss": 1e999}\n',
            b'{"kind": "step", "time": 1, "step": ' + b"9" * 5000 + b"}\n",
            b"x" * (3 * LINE_LIMIT_BYTES) + b"\n",
            b"x" * (LINE_LIMIT_BYTES - 1) + b"\n",
            b"x" * LINE_LIMIT_BYTES + b"\n",
        ],
    )
    def test_junk_is_skipped_and_counted(self, log: Path, junk: bytes) -> None:
        log.write_bytes(_line(1) + junk + _line(2))
        page = read_events(log, 0, 10)
        assert _steps(page) == [1, 2]
        assert page.skipped == 1
        assert page.cursor == log.stat().st_size

    def test_an_empty_line_is_nothing(self, log: Path) -> None:
        log.write_bytes(_line(1) + b"\n\r\n" + _line(2))
        assert read_events(log, 0, 10).skipped == 0

    def test_a_huge_line_without_an_end_is_left_and_costs_no_memory(self, log: Path) -> None:
        log.write_bytes(_line(1) + b"y" * (20 << 20))
        tracemalloc.start()
        page = read_events(log, 0, 10)
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (_steps(page), page.cursor) == ([1], len(_line(1)))
        assert peak_bytes < 1 << 20
        with open(log, "ab") as stream:
            stream.write(b"\n" + _line(2))
        assert _steps(read_events(log, page.cursor, 10)) == [2]

    def test_a_line_longer_than_one_call_reads_does_not_stop_the_reader(self, log: Path) -> None:
        with open(log, "wb") as stream:
            stream.truncate(150 << 20)  # a sparse file: one line of zeros
            stream.seek(0, os.SEEK_END)
            stream.write(b"\n" + _line(7))
        cursor, seen = 0, []
        for _ in range(10):
            page = read_events(log, cursor, 10)
            seen += _steps(page)
            cursor = page.cursor
        assert seen == [7]

    def test_a_page_is_bounded_in_bytes(self, log: Path) -> None:
        line = _line(1, data={"text": "z" * 60_000})
        log.write_bytes(line * 200)
        page = read_events(log, 0, 1000)
        assert 0 < len(page.events) < 100

    def test_a_cursor_within_a_line_goes_to_its_end(self, log: Path) -> None:
        log.write_bytes(_line(1) + _line(2))
        assert _steps(read_events(log, 5, 10)) == [2]

    @pytest.mark.parametrize("cursor", [-1, -(10**9)])
    def test_a_negative_cursor_is_the_beginning(self, log: Path, cursor: int) -> None:
        log.write_bytes(_line(1))
        assert _steps(read_events(log, cursor, 10)) == [1]

    def test_a_cursor_beyond_the_end_waits(self, log: Path) -> None:
        log.write_bytes(_line(1))
        page = read_events(log, 10**6, 10)
        assert (page.events, page.cursor) == ((), 10**6)

    def test_a_pipe_or_a_folder_in_its_place_does_not_block(self, log: Path, tmp_path: Path) -> None:
        os.mkfifo(log)
        assert read_events(log, 0, 10).events == ()
        assert read_events(tmp_path, 0, 10).events == ()

    @pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
    def test_a_loss_that_is_no_number_is_kept_as_a_fact(self, word: str) -> None:
        event = parse_event(f'{{"kind": "step", "time": 1, "step": 4, "loss": {word}}}'.encode())
        assert event is not None
        assert (event.step, event.loss, event.data) == (4, None, {"not_finite": True})
        assert math.isnan(json.loads("NaN"))

    def test_unknown_kinds_and_fields_are_kept(self) -> None:
        event = parse_event(b'{"kind": "straggler", "time": 1, "rank": 3}')
        assert event is not None
        assert (event.kind, event.model_extra) == ("straggler", {"rank": 3})

    def test_the_newest_step_is_found_behind_much_else(self, log: Path) -> None:
        other = b'{"kind": "eval", "time": 1, "step": 99, "loss": 9.0}\n'
        log.write_bytes(_line(1, loss=5.0) * 5000 + _line(2, loss=0.5) + other * 20 + b'{"kind": "step", "ti')
        assert newest_step(log) == (2, 0.5)
        log.write_bytes(b"")
        assert newest_step(log) == (None, None)


class TestLogs:
    @pytest.fixture
    def attempt(self, tmp_path: Path) -> AttemptDir:
        attempt = AttemptDir(tmp_path / "0001")
        attempt.path.mkdir()
        attempt.launcher_log.write_text("started\n")
        for rank in range(12):
            folder = attempt.rank_logs / "none_abc" / "attempt_0" / str(rank)
            folder.mkdir(parents=True)
            (folder / "stdout.log").write_text("".join(f"line {n} of {rank}\n" for n in range(5)))
            (folder / "stderr.log").write_text("")
        return attempt

    def test_ranks_come_in_their_order(self, attempt: AttemptDir) -> None:
        lines = read_logs(attempt, None, 1).splitlines()
        assert lines == ["[launcher] started", *(f"[rank {rank}] line 4 of {rank}" for rank in range(12))]

    def test_one_rank(self, attempt: AttemptDir) -> None:
        assert read_logs(attempt, 11, 2) == "line 3 of 11\nline 4 of 11\n"
        assert read_logs(attempt, 12, 2) == ""

    @pytest.mark.parametrize("tail_lines", [0, -3])
    def test_no_lines(self, attempt: AttemptDir, tail_lines: int) -> None:
        assert read_logs(attempt, None, tail_lines) == ""

    def test_a_flood_is_bounded(self, attempt: AttemptDir) -> None:
        flood = attempt.rank_logs / "none_abc" / "attempt_0" / "0" / "stdout.log"
        with open(flood, "wb") as stream:
            stream.truncate(1 << 30)
            stream.seek(0, os.SEEK_END)
            stream.write(b"\nthe end\n")
        text = read_logs(attempt, None, 10**6)
        assert "[rank 0] the end\n" in text
        assert len(text) < 10 << 20

    def test_nothing_started_yet(self, tmp_path: Path) -> None:
        assert read_logs(AttemptDir(tmp_path / "none"), None, 10) == ""


class TestCleaning:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("\x1b[1;31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07rest", "rest"),
            ("\x1b]8;;http://x\x1b\\link", "link"),
            ("\x1b]52;c;aGk=", ""),
            ("a\x1b[2Kb\x1b(Bc", "abc"),
            ("\x9b31mx", "x"),
            ("10%\r50%\r100%", "100%"),
            ("100%\r", "100%"),
            ("tab\tkept", "tab\tkept"),
            ("bell\x07\x08\x00\x7f", "bell"),
            ("\u202egnp.exe", "gnp.exe"),
            ("dansk æøå", "dansk æøå"),
        ],
    )
    def test_what_is_left(self, text: str, shown: str) -> None:
        assert printable(text) == shown

    def test_long_lines_are_cut(self) -> None:
        assert printable("x" * 5000, 100) == "x" * 100 + " ..."
