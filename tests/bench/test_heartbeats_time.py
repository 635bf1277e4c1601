"""What a look at many ranks' heartbeats costs: the same for each, however many there are."""

import time
from pathlib import Path

import pytest

from runners.supervisor.heartbeats import read_heartbeats
from tests.bench.many_beats import write_beats

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def look_s(folder: Path, ranks: int) -> float:
    """CPU seconds of one look, the best of five."""
    folder.mkdir()
    write_beats(folder, ranks, step=40)
    taken = []
    for _ in range(5):
        began = time.process_time()
        assert len(read_heartbeats(folder)) == ranks
        taken.append(time.process_time() - began)
    return min(taken)


def test_a_rank_costs_the_same_among_64_and_among_4096(tmp_path: Path) -> None:
    few, many, most = (look_s(tmp_path / str(ranks), ranks) / ranks for ranks in (64, 1024, 4096))
    print(f"for each rank: {few * 1e6:.0f} us among 64, {many * 1e6:.0f} us among 1024, {most * 1e6:.0f} us among 4096")
    assert many < 3 * few
    assert most < 3 * few
    assert many < 1e-3
