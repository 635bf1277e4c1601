"""The learned ways: what the file holds, and how well a model does on requests that it never saw."""

import json
from pathlib import Path
from typing import Any

import pytest

from engines.intake import routes
from engines.intake.facts import Reading, Values
from engines.intake.learn import learn, route_of
from engines.intake.reading import read_text

FOLDER = Path(__file__).parents[3] / "cases" / "need"


def cases() -> list[dict[str, Any]]:
    files = (FOLDER / "dev.jsonl", FOLDER / "own.jsonl")
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def test_the_weights_are_those_that_the_cases_teach() -> None:
    kept, taught = routes.learned(), learn(cases())
    assert kept.requests == taught.requests
    assert kept.of.keys() == taught.of.keys()
    # A file learned before a label, a word table or a signal changed is off by tenths.
    for name, weights in taught.of.items():
        assert kept.of[name] == pytest.approx(weights, abs=0.005), name


def test_the_file_names_the_routes_in_their_order() -> None:
    assert tuple(json.loads(routes.FILE.read_text("utf-8"))["routes"]) == routes.ROUTES


def test_each_route_has_examples() -> None:
    assert {route_of(case) for case in cases()} == set(routes.ROUTES)


@pytest.mark.slow
def test_requests_that_were_not_learned_from_are_understood() -> None:
    # Every fifth request is held back; nothing of it is in the model, and the rules have no say.
    every = cases()
    weights = learn(case for place, case in enumerate(every) if place % 5)
    held = [case for place, case in enumerate(every) if place % 5 == 0]
    right = 0
    for case in held:
        reading = read_text(case["text"])
        sums = weights.sums(routes.features(reading.counts, reading.values, reading.words))
        right += routes.ROUTES[sums.index(max(sums))] == route_of(case)
    assert right / len(held) >= 0.9


def test_what_was_not_learned_leaves_the_choice_to_the_rules() -> None:
    silent = routes.Weights(0, {})
    for route in routes.ROUTES:
        assert routes.choose(Reading(), Values(), route, weights=silent) == route


def test_strong_evidence_goes_before_the_rules() -> None:
    plain = tuple(5.0 if route == "ask" else 0.0 for route in routes.ROUTES)
    reading = Reading(words=frozenset({"why"}))
    weights = routes.Weights(1, {"says why": plain})
    assert routes.choose(reading, Values(), "plan", weights=weights) == "ask"
    assert routes.choose(reading, Values(), "plan", frozenset({"ask"}), weights) == "plan"


def test_weights_survive_being_kept() -> None:
    weights = routes.Weights(3, {"says a": tuple(place / 1000 for place in range(len(routes.ROUTES)))})
    assert routes.Weights.read(json.loads(json.dumps(weights.kept()))) == weights


def test_learning_tells_two_kinds_apart_and_is_the_same_each_time() -> None:
    rows = [
        {"text": f"{word} {number}", "intent": intent, "verdict": "use_fsdp", "reason_codes": []}
        for word, intent in (("alpha", "ask"), ("omega", "review"))
        for number in ("red", "green", "blue", "white")
    ]
    first = learn(rows)
    assert first == learn(rows)
    for word, right in (("alpha", "ask"), ("omega", "review")):
        sums = first.sums(routes.features({}, Values(), [word]))
        assert routes.ROUTES[sums.index(max(sums))] == right
