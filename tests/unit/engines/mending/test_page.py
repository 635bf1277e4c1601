"""The page on mending lists what the table has."""

import re
from pathlib import Path

from engines.mending.table import CURES

PAGE = Path(__file__).parents[4] / "docs" / "mending.md"


def test_the_page_lists_every_cause_with_its_changes() -> None:
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    said = {
        cause: "; ".join((cure.__doc__ or "").strip().splitlines()[0].rstrip(".") for cure in cures)
        for cause, cures in CURES.items()
    }
    assert {cause: text for cause, text in rows.items() if cause in CURES} == said
