"""Prefixes of launchers and log collectors, and time stamps of several formats."""

from datetime import UTC, datetime

import pytest

from engines.diagnosis.prefixes import split_prefix
from engines.diagnosis.stamps import Clock


@pytest.mark.parametrize(
    ("line", "rank", "text"),
    [
        ("[rank3]: ValueError: x", "3", "ValueError: x"),
        ("[default0]:step 1", "0", "step 1"),
        (" 3: [rank25]: inner wins", "25", "inner wins"),
        ("12: NCCL WARN y", "12", "NCCL WARN y"),
        ("[pod/train-worker-3/pytorch] boo", "3", "boo"),
        ("[pod/train-worker-3/pytorch] [rank7]: boo", "7", "boo"),
        ("worker-2  | hello", "2", "hello"),
        ("rank5: loss", "5", "loss"),
        ("(Worker pid=71, ip=10.0.0.2) [rank4]: x", "4", "x"),
        ("(Worker pid=71) x", None, "x"),
        ("2026-11-30T10:00:01.5Z [rank3]: boo", "3", "2026-11-30T10:00:01.5Z boo"),
        ("[rank007]: x", "7", "x"),
        ("port: 29500", None, "port: 29500"),
        ("rank 0: told in words", None, "rank 0: told in words"),
        ("10:00:01 step 5", None, "10:00:01 step 5"),
        ("[0] misc/ibvwrap.cc:169 NCCL WARN", None, "[0] misc/ibvwrap.cc:169 NCCL WARN"),
        ("2: ", "2", ""),
    ],
)
def test_the_rank_is_taken_from_the_prefix(line: str, rank: str | None, text: str) -> None:
    assert split_prefix(line) == (rank, text)


def test_a_ray_worker_is_known_by_its_pid_once_it_has_named_its_rank() -> None:
    actors: dict[str, str] = {}
    assert split_prefix("(Worker pid=71) starting", actors)[0] is None
    assert split_prefix("(Worker pid=71) init_process_group rank=6", actors)[0] == "6"
    assert split_prefix("(Worker pid=71) ValueError: x", actors) == ("6", "ValueError: x")


def at(*parts: int, micro: int = 0) -> float:
    year, month, day, hour, minute, second = parts
    return datetime(year, month, day, hour, minute, second, micro, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("2026-11-30T10:00:01.25Z x", at(2026, 11, 30, 10, 0, 1, micro=250_000)),
        ("2026-11-30 10:00:01,250 INFO x", at(2026, 11, 30, 10, 0, 1, micro=250_000)),
        ("2026-11-30 12:00:01+02:00 x", at(2026, 11, 30, 10, 0, 1)),
        ("  time      : 2026-11-30_10:00:01", at(2026, 11, 30, 10, 0, 1)),
        ("[Mon Nov 30 10:00:01 2026] Out of memory", at(2026, 11, 30, 10, 0, 1)),
        ("no time here", None),
        ("2026-13-45 99:99:99 nonsense", None),
    ],
)
def test_stamps_that_are_complete(line: str, time: float | None) -> None:
    assert Clock().read(line) == time


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("[E1129 09:00:02.500000000 ProcessGroupNCCL.cpp:616] x", at(2026, 11, 29, 9, 0, 2, micro=500_000)),
        ("W1130 11:00:02.000000 40 torch/distributed/run.py:766]", at(2026, 11, 30, 11, 0, 2)),
        ("Nov 30 11:00:02 host kernel: NVRM: Xid", at(2026, 11, 30, 11, 0, 2)),
        ("[11:00:02.5] Epoch: [0]", at(2026, 11, 30, 11, 0, 2, micro=500_000)),
    ],
)
def test_what_a_stamp_leaves_out_is_taken_from_those_before_it(line: str, time: float) -> None:
    clock = Clock()
    clock.read("2026-11-30 10:00:01 x")
    assert clock.read(line) == time
