"""Text from outside is shown, and steers nothing."""

import pytest

from interfaces.cli.text import counted, exact, one_line, visible


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain", "plain"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("over\rwrite", "over\\x0dwrite"),
        ("\x9b2J", "\\x9b2J"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("abc\u202edef", "abc\\u202edef"),
        ("[bold]as it is[/bold]", "[bold]as it is[/bold]"),
        ("tab æøå ▁█", "tab æøå ▁█"),
        ("\udc80", "\\udc80"),
    ],
)
def test_control_and_direction_characters_are_written_out(given: str, shown: str) -> None:
    assert visible(given) == shown


def test_a_noun_agrees_with_its_number() -> None:
    assert [counted(number, "file") for number in (0, 1, 2)] == ["0 files", "1 file", "2 files"]


def test_one_line_has_no_line_break() -> None:
    assert one_line("a\nb\tc") == "a b c"


def test_an_exact_text_has_no_line_of_its_own() -> None:
    assert exact("a\nhash 0000\tb\x1b[1m") == "a\\nhash 0000\\tb\\x1b[1m"
