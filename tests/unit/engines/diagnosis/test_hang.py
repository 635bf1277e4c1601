"""Hangs of two real gloo ranks: what their flight recorders and stacks hold is in `hangs`, made on purpose.

missing: rank 1 sleeps in its loader. order: the ranks issue two collectives in another order. guard: rank 0 alone
evaluates an FSDP2 model. uneven: rank 1 has one batch fewer. The script says so; the expected values come from it.
"""

import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.hang import Standstill, standstill
from engines.diagnosis.plainpickle import load_plain
from engines.diagnosis.reading import Reading, read_paths
from engines.diagnosis.recorder import Entry, Group, Recording

HANGS = Path(__file__).with_name("hangs")


def reading_of(name: str, *patterns: str) -> Reading:
    return read_paths([str(path) for pattern in patterns for path in sorted((HANGS / name).glob(pattern))])


@pytest.mark.parametrize("patterns", [("flight_rank_?", "stack-?.txt"), ("flight_rank_?", "*.pyspy.txt")])
@pytest.mark.parametrize(
    ("name", "kind", "culprit", "collective", "cause"),
    [
        ("missing", "missing", "1", "all_reduce #4", "one-rank-waits-for-data"),
        ("order", "mismatch", "1", "all_reduce #3", "collective-order-mismatch"),
        ("guard", "mismatch", "1", "all_gather #7", "rank-conditional-collective"),
        ("uneven", "mismatch", "1", "all_gather #25", "uneven-batches-per-rank"),
    ],
)
def test_recorders_and_stacks_show_where_the_ranks_parted(
    name: str, kind: str, culprit: str, collective: str, cause: str, patterns: tuple[str, ...]
) -> None:
    found = diagnose_text(reading_of(name, *patterns))
    assert found.hang is not None
    assert (found.hang.kind, found.hang.culprits) == (kind, (culprit,))
    assert found.hang.collective is not None
    assert found.hang.collective.startswith(collective)
    assert found.first_diverged == culprit
    assert found.verdict == "diagnosed"
    assert found.causes[0].cause == cause
    assert found.causes[0].evidence[0].text == found.hang.text[:300]


@pytest.mark.parametrize("pattern", ["stack-?.txt", "*.pyspy.txt"])
@pytest.mark.parametrize(
    ("name", "cause", "place"),
    [
        ("missing", "one-rank-waits-for-data", "load_batch"),
        ("guard", "rank-conditional-collective", "evaluate"),
        ("uneven", "uneven-batches-per-rank", "train_step"),
    ],
)
def test_stacks_alone_suffice(name: str, cause: str, place: str, pattern: str) -> None:
    found = diagnose_text(reading_of(name, pattern))
    assert found.causes[0].cause == cause
    assert found.hang is not None
    assert place in found.hang.text


@pytest.mark.parametrize("name", ["missing", "guard"])
def test_recorders_alone_name_the_rank(name: str) -> None:
    found = diagnose_text(reading_of(name, "flight_rank_?.json"))
    assert found.hang is not None
    assert found.hang.culprits == ("1",)


def test_what_each_rank_waits_in_and_where_it_stands_is_told() -> None:
    found = diagnose_text(reading_of("missing", "*"))
    states = {state.rank: state for state in found.rank_states}
    assert states["0"].waits_in == "all_reduce #4 [[8, 4]] of default_pg"
    assert states["1"].waits_in is None
    assert states["1"].stands_at is not None
    assert states["1"].stands_at.startswith("load_batch (")


def recording(rank: int, *groups: Group) -> Recording:
    return Recording(rank, f"fr_{rank}", {group.name: group for group in groups})


def group(name: str, done: int, issued: int, op: str = "all_reduce", size: int = 8, dtype: str = "Float") -> Group:
    entries = {n: Entry(n, op, ((size,),), (dtype,), n <= done, None, ()) for n in range(1, issued + 1)}
    return Group(name, f"mesh_{name}", frozenset((0, 1)), entries, issued, done)


def found_of(*recordings: Recording) -> Standstill:
    return standstill(recordings, {})


def test_ranks_that_wait_for_each_other_in_two_groups_are_crossed() -> None:
    found = found_of(
        recording(0, group("tp", 4, 5), group("dp", 7, 7)), recording(1, group("tp", 4, 4), group("dp", 7, 8))
    )
    assert found.hang is not None
    assert found.hang.kind == "crossed"
    assert found.crossed


def test_a_collective_of_other_shape_is_a_mismatch() -> None:
    found = found_of(recording(0, group("dp", 1, 2)), recording(1, group("dp", 1, 2, size=9)))
    assert found.hang is not None
    assert found.hang.kind == "mismatch"


@pytest.mark.parametrize("make", [lambda: (), lambda: (recording(0, group("dp", 1, 2)),)])
def test_one_rank_or_none_proves_nothing(make: Callable[[], tuple[Recording, ...]]) -> None:
    assert found_of(*make()).hang is None


def test_ranks_that_all_wait_in_the_same_collective_have_not_parted() -> None:
    found = found_of(recording(0, group("dp", 1, 2)), recording(1, group("dp", 1, 2)))
    assert found.hang is None
    assert found.waits == {0: "all_reduce #2 [[8]] of mesh_dp", 1: "all_reduce #2 [[8]] of mesh_dp"}


def test_a_group_is_judged_by_its_own_ranks() -> None:
    other = Group("tp", "", frozenset((2, 3)), {}, 0, 0)
    found = found_of(recording(0, group("dp", 1, 1), other), recording(1, group("dp", 1, 1)))
    assert found.hang is None


def as_nccl(source: Path, target: Path) -> None:
    """Write a dump in the form that NCCL's process group gives it: torch's own reader knows no other."""
    dump = load_plain(source.read_bytes())
    dump["pg_config"] = {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}
    for entry in dump["entries"]:
        entry["profiling_name"] = (
            entry["profiling_name"].replace("gloo:", "nccl:").replace("all_gather", "_all_gather_base")
        )
        entry["state"] = "completed" if entry["retired"] else "scheduled"
    target.write_bytes(pickle.dumps(dump, 2))


@pytest.mark.parametrize("name", ["missing", "order"])
def test_torch_s_own_reader_finds_the_same_collective_and_rank(name: str, tmp_path: Path) -> None:
    for rank in (0, 1):
        as_nccl(HANGS / name / f"flight_rank_{rank}", tmp_path / f"nccl_trace_rank_{rank}")
    module = "torch.distributed.flight_recorder.fr_trace"
    argv = [sys.executable, "-m", module, str(tmp_path), "--prefix", "nccl_trace_rank_"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240)
    told = done.stdout + done.stderr
    sequence = re.search(r"sequence number: (\d+)", told)
    assert sequence is not None, told[-2000:]
    culprit = re.search(r"missing ranks: \{(\d+)\}|Culprit rank (\d+)", told)
    assert culprit is not None

    found = diagnose_text(read_paths([str(tmp_path)]))
    assert found.hang is not None
    assert found.hang.collective is not None
    assert f"#{sequence[1]} " in found.hang.collective
    assert found.hang.culprits == (culprit[1] or culprit[2],)
