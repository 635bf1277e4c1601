"""Sizes and counts as people read them."""

import pytest

from contracts.units import count_text, size_text


@pytest.mark.parametrize(
    ("gib", "text"),
    [
        (10.5, "10.50 GiB"),
        (-3.25, "-3.25 GiB"),
        (0.0, "0.00 GiB"),
        (2 / 1024, "2.00 MiB"),
        (3 / 2**20, "3.0 KiB"),
    ],
)
def test_a_size_shows_in_its_unit(gib: float, text: str) -> None:
    assert size_text(gib) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(8_030_261_248, "8.03 billion"), (869_504, "869.50 thousand"), (1_500_000, "1.50 million"), (7, "7")],
)
def test_a_count_is_said_as_people_say_it(count: int, text: str) -> None:
    assert count_text(count) == text
