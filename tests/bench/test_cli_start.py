"""How long the command line takes to answer, as a ratio to what nothing could do without."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLI = str(Path(sys.executable).parent / "fsdp-agent")
REPEATS = 7


def seconds(words: list[str]) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True, timeout=120)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "floor", "ratio"),
    [
        (["--help"], "import typer.main", 2.5),
        (["jobs", "list", "--home", "/nonexistent"], "import typer.main, pydantic", 4.0),
        (
            ["estimate", "--model", "llama-3-8b", "--gpus", "8", "--seq-len", "8192", "--json"],
            "import typer.main, pydantic, yaml",
            4.0,
        ),
    ],
    ids=["help", "jobs list", "estimate"],
)
def test_start_is_little_more_than_the_imports_it_needs(words: list[str], floor: str, ratio: float) -> None:
    # side by side, so that a loaded machine slows both
    needed, taken = seconds([sys.executable, "-c", floor]), seconds([CLI, *words])
    print(f"{' '.join(words[:2])}: {taken:.3f} s, floor {needed:.3f} s, ratio {taken / needed:.2f}")
    assert taken / needed <= ratio
