"""The page says what the matrix does."""

from tests.flows.matrix.page import PAGE, page
from tests.flows.matrix.rows import ROWS


def test_the_page_has_this_very_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text), "write it anew: python -m tests.flows.matrix.page"


def test_no_two_rows_do_the_same() -> None:
    assert len({row.done for row in ROWS}) == len(ROWS)
