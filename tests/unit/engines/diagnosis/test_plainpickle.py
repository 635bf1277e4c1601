"""Pickles: plain data of every protocol is read, anything else ends the reading and nothing runs."""

import io
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import FileUnreadable
from engines.diagnosis.plainpickle import load_plain
from engines.diagnosis.reading import read_paths

PLAIN: dict[Any, Any] = {
    "a": [1, -1, 2**40, 2.5, None, True, False, "ü", "", (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), {}, []],
    5: {"b": {"c": [["d"] * 3] * 2}},
}


class Runs:
    """Runs a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> Any:
        return (os.system, (self.command,))


class Judge(pickle.Unpickler):
    """Pickle itself, without what could run."""

    def find_class(self, module: str, name: str) -> Any:
        raise AssertionError(f"a dump names {module}.{name}")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_data_comes_back(protocol: int) -> None:
    assert load_plain(pickle.dumps(PLAIN, protocol)) == PLAIN


def test_sets_and_bytes_come_back() -> None:
    data = {"set": {1, 2}, "frozen": frozenset((3,)), "bytes": b"\x00x"}
    assert load_plain(pickle.dumps(data, 4)) == data


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_payload_does_not_run(protocol: int, tmp_path: Path) -> None:
    dump = {"version": "2.10", "pg_config": {}, "entries": [Runs(f"touch {tmp_path}/ran")]}
    (tmp_path / "flight_rank_0").write_bytes(pickle.dumps(dump, protocol))
    with pytest.raises(FileUnreadable, match="more than plain data"):
        load_plain(pickle.dumps(dump, protocol))
    reading = read_paths([str(tmp_path)])
    assert not (tmp_path / "ran").exists()
    assert not reading.recordings
    # protocol 0 is ASCII: its file is taken for a text, and read as one
    assert protocol == 0 or "flight_rank_0" in reading.skipped[0]


@pytest.mark.parametrize(
    "data",
    [b"", b"\x80\x02", b"\x80\x02}q\x00(X", b".", b"\x80\x02u.", b"(((((", b"\x80\x04h\x05.", b"\x80\x02]q\x00K\x01s."],
)
def test_what_is_damaged_is_told(data: bytes) -> None:
    with pytest.raises(FileUnreadable):
        load_plain(data)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(FileUnreadable):
        load_plain(b"(" * 200_000 + b".")


def test_a_list_that_holds_itself_does_no_harm() -> None:
    own: list[Any] = []
    own.append(own)
    assert len(load_plain(pickle.dumps(own, 2))) == 1


def test_a_dump_of_odd_types_does_no_harm(tmp_path: Path) -> None:
    odd = {"pg_config": {"0": {"ranks": 7}}, "entries": [1, None, {"frames": 5, "input_sizes": [["x", [1]]]}, {}]}
    (tmp_path / "fr_3").write_bytes(pickle.dumps(odd, 2))
    (recording,) = read_paths([str(tmp_path)]).recordings
    assert recording.rank == 3


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_both_ways_of_reading_agree(protocol: int) -> None:
    from engines.diagnosis.quickpickle import load_quick

    quick = load_quick(pickle.dumps(PLAIN, protocol))
    assert quick in (None, (PLAIN,))
    assert protocol != 2 or quick == (PLAIN,)


@pytest.mark.parametrize("name", ["missing", "guard"])
def test_real_dumps_are_read_by_the_quick_way(name: str) -> None:
    from engines.diagnosis.quickpickle import load_quick

    data = (Path(__file__).with_name("hangs") / name / "flight_rank_0").read_bytes()
    assert load_quick(data) == (Judge(io.BytesIO(data)).load(),)


def test_every_cut_of_a_dump_is_damaged_and_nothing_else() -> None:
    data = pickle.dumps(PLAIN, 2)
    for end in range(len(data)):
        with pytest.raises(FileUnreadable):
            load_plain(data[:end])
