"""Every answer fits, and all of a long one can be had page by page."""

import json
from typing import Any

import pytest

from contracts.errors import InputError
from interfaces.doors.small import LIMIT_CHARACTERS, as_text, fit


def test_what_fits_is_left_as_it_is() -> None:
    small = {"a": 1, "findings": [{"x": "y"}]}
    assert fit(small) == small


LONG: list[dict[str, Any]] = [
    {"findings": [{"n": n, "text": "x" * 90} for n in range(500)], "files": ["a.py"] * 900, "verdict": "ok"},
    {"report": "line of the report\n" * 5000},
    {"report": "\x1b" * 20000},
    {"report": '"\\' * 20000},
    {"deep": {"one": ["y" * 50_000, {"two": "z" * 50_000}]}, "n": 3},
    {"entries": ["w" * 100_000, "short"]},
    {"result": {f"key{n}": "v" * 500 for n in range(200)}},
]


@pytest.mark.parametrize("result", LONG)
def test_a_long_result_is_cut_to_the_limit_and_says_so(result: dict[str, Any]) -> None:
    shown = fit(result)
    assert len(as_text({"ok": True, **shown})) <= LIMIT_CHARACTERS
    assert json.loads(as_text(shown)) == shown
    assert shown["cut"]


def test_a_list_is_paged_without_loss() -> None:
    result = LONG[0]
    seen: list[Any] = []
    page = fit(result)
    assert page["verdict"] == "ok"
    offset = page["cut"]["findings"]["shown"]
    seen += page["findings"]
    while True:
        page = fit(result, "findings", offset)
        assert len(as_text({"ok": True, **page})) <= LIMIT_CHARACTERS
        seen += page["findings"]
        if "next_offset" not in page:
            break
        offset = page["next_offset"]
    assert seen == result["findings"]


@pytest.mark.parametrize("text", ["line of the report\n" * 5000, '"\\\x01' * 9000, "æøå" * 9000])
def test_a_text_is_paged_without_loss(text: str) -> None:
    seen, offset = "", 0
    while True:
        page = fit({"report": text}, "report", offset)
        assert len(as_text({"ok": True, **page})) <= LIMIT_CHARACTERS
        seen += page["report"]
        if "next_offset" not in page:
            break
        assert page["next_offset"] > offset
        offset = page["next_offset"]
    assert seen == text


def test_beyond_the_end_is_nothing_and_an_unknown_part_an_error() -> None:
    assert fit({"a": [1, 2]}, "a", 7) == {"part": "a", "offset": 7, "of": 2, "a": []}
    with pytest.raises(InputError, match="no part 'b'") as refused:
        fit({"a": [1]}, "b")
    assert refused.value.hint == "parts: a"
