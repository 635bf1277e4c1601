"""What the page on studies shows is what the commands print."""

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.tours import ROOT, Tour, shown, unmatched

PAGE = ROOT / "docs" / "studies.md"
ESTIMATED = [part for part in shown(PAGE) if "--study" in part.command and "--device cpu" not in part.command]


@pytest.mark.parametrize("part", ESTIMATED, ids=["missing", "hsdp", "danish"])
def test_the_estimated_studies_print_what_is_shown(part, tmp_path: Path) -> None:
    tour = Tour(PAGE, tmp_path)
    done = subprocess.run(
        shlex.split(part.command), cwd=ROOT, env=tour.environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == (3 if "error:" in part.output else 0), done.stderr
    # progress goes to stderr, errors as well
    text = done.stdout + (done.stderr if "error:" in part.output else "")
    assert unmatched(part.output, text) is None, text


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_command_of_the_page_prints_what_is_shown(tmp_path: Path) -> None:
    assert Tour(PAGE, tmp_path, seconds=1200).walk() == 6
