"""What the README and the page of the runner show is run here; see `tests/tours.py`."""

import re
from pathlib import Path

import pytest

from tests.tours import ROOT, Tour, matches, shown

README, RUNNER, SCRIPTS = ROOT / "README.md", ROOT / "docs" / "runner.md", ROOT / "docs" / "scripts.md"
MENDING, PLAN = ROOT / "docs" / "mending.md", ROOT / "docs" / "plan.md"


@pytest.mark.train
def test_every_command_of_the_tour_prints_what_is_shown(tmp_path: Path) -> None:
    assert Tour(README, tmp_path).walk() >= 8


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_command_of_the_page_on_the_runner_prints_what_is_shown(tmp_path: Path) -> None:
    assert Tour(RUNNER, tmp_path).walk() >= 10


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_command_of_the_page_on_scripts_prints_what_is_shown(tmp_path: Path) -> None:
    assert Tour(SCRIPTS, tmp_path).walk() >= 2


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_command_of_the_page_on_mending_prints_what_is_shown(tmp_path: Path) -> None:
    assert Tour(MENDING, tmp_path).walk() >= 3


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_command_of_the_page_on_plans_prints_what_is_shown(tmp_path: Path) -> None:
    assert Tour(PLAN, tmp_path).walk() >= 4


def test_the_two_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for part in shown(README):
        if part.command.startswith("make "):
            assert re.search(rf"^{part.command.split()[1]}:", makefile, re.M)


def test_a_wrong_output_would_be_seen() -> None:
    assert matches("a ... c\n...\n", "a b c\nand more")
    assert not matches("a ... c\n", "a b d")
    assert not matches("one\n", "one\ntwo")


@pytest.mark.parametrize("page", [README, RUNNER, SCRIPTS, MENDING, PLAN], ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target
