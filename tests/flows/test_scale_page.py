"""What the page on several machines shows is run here; see `tests/tours.py`."""

import re
from pathlib import Path

import pytest

from tests.tours import ROOT, Tour

PAGE = ROOT / "docs" / "scale.md"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_command_of_the_page_on_scale_prints_what_is_shown(tmp_path: Path) -> None:
    assert Tour(PAGE, tmp_path).walk() >= 10
    assert (tmp_path / "out.png").read_bytes()[:4] == b"\x89PNG"


def test_the_links_of_the_page_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", PAGE.read_text(encoding="utf-8"))
    assert links
    assert all((PAGE.parent / link).exists() for link in links)
