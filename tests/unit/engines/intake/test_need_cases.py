"""The need gate on requests with known answers: 46 that were given, and our own."""

import json
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import pytest

from contracts.need import Extracted, Need, ReasonCode
from contracts.request import Request
from engines.intake.assess import assess_request

FOLDER = Path(__file__).parents[3] / "cases" / "need"
CASES: list[dict[str, Any]] = [
    json.loads(line) for name in ("dev.jsonl", "own.jsonl") for line in (FOLDER / name).read_text("utf-8").splitlines()
]
OWN = [case for case in CASES if case["id"].startswith("own")]
SIZE_TOLERANCE = 0.02
"""Relative: 8B is also 8.03e9."""


@cache
def _assessed(text: str) -> Need:
    """Assess a request once for all tests of it."""
    return assess_request(Request(text=text))


def _same(expected: Any, given: Any) -> bool:
    """A list means any of its entries."""
    if isinstance(expected, list):
        return any(_same(entry, given) for entry in expected)
    if expected is None or given is None:
        return expected is given
    if isinstance(expected, str):
        return expected.lower() == str(given).lower()
    return abs(expected - given) <= SIZE_TOLERANCE * abs(expected)


def _differences(case: dict[str, Any], need: Need) -> list[str]:
    found = [
        f"{key}: {getattr(need, key)}, not {case[key]}"
        for key in ("intent", "verdict")
        if getattr(need, key) != case[key]
    ]
    if need.language != case["lang"]:
        found.append(f"language: {need.language}")
    codes = {reason.code for reason in need.reasons}
    if not codes & set(case["reason_codes"]):
        found.append(f"codes: {sorted(codes)}, none of {case['reason_codes']}")
    for key, expected in case["extracted"].items():
        if not _same(expected, getattr(need.extracted, key)):
            found.append(f"{key}: {getattr(need.extracted, key)}, not {expected}")
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_request_is_understood(case: dict[str, Any]) -> None:
    assert _differences(case, _assessed(case["text"])) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_verdict_that_is_not_for_fsdp_says_what_to_do_instead(case: dict[str, Any]) -> None:
    need = _assessed(case["text"])
    assert bool(need.instead) == (need.verdict != "use_fsdp")
    assert all(reason.text for reason in need.reasons)


def test_our_own_requests_cover_every_way_through_the_gate() -> None:
    seen = {(case["intent"], case["verdict"]) for case in OWN}
    assert seen >= {
        *((intent, "use_fsdp") for intent in ("plan", "diagnose", "review", "ask", "run")),
        *((intent, "not_needed") for intent in ("plan", "diagnose", "run")),
        *((intent, "wait") for intent in ("plan", "none")),
        *((intent, "out_of_scope") for intent in ("ask", "diagnose", "run", "none")),
    }
    # An explicit run request is a structured one: test_assess has it.
    codes = set(chain.from_iterable(case["reason_codes"] for case in OWN))
    assert codes == set(get_args(ReasonCode)) - {"explicit_run_request"}


def test_a_third_of_our_own_requests_is_danish() -> None:
    assert sum(case["lang"] == "da" for case in OWN) >= len(OWN) / 3


def test_cases_name_the_fields_of_the_contract() -> None:
    # The given cases say nothing of the optimizer; test_optimizers does.
    for case in CASES:
        assert set(case["extracted"]) | {"optimizer"} == set(Extracted.model_fields), case["id"]


def test_ids_and_texts_are_given_once() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert len({case["text"] for case in CASES}) == len(CASES)
