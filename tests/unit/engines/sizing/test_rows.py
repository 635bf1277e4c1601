"""Estimates of the published runs: predictions come from the inputs alone."""

import json
import random
from contextlib import suppress
from pathlib import Path

import pytest

from contracts.errors import InputError, RequestInvalid
from engines.sizing.rows import MEASURED, estimate_row, summarize

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "cases" / "memory" / "published.jsonl").read_text().splitlines()
]


@pytest.fixture(scope="module")
def results():
    return [estimate_row(row) for row in ROWS]


def numbers(result):
    return json.dumps([result[name] for name in MEASURED] + [result["assumptions"], result["unsupported"]])


def test_every_row_is_predicted_or_unsupported_with_the_reason(results):
    assert all(result["reserved_gib"] is not None or result["unsupported"] for result in results)
    assert sum(result["reserved_gib"] is not None for result in results) > 70


def test_predictions_do_not_depend_on_what_was_measured_nor_on_names_and_order(results):
    order = list(range(len(ROWS)))
    random.Random(7).shuffle(order)
    for index in order:
        row = {key: value for key, value in ROWS[index].items() if key != "measured"}
        row |= {"id": f"row-{index}", "source": "elsewhere", "same_configuration_as": None}
        assert numbers(estimate_row(row)) == numbers(results[index])


def test_a_prediction_rests_on_sizes_not_on_the_models_name():
    assert numbers(estimate_row(ROWS[0] | {"model": "Somebody-else-8B"})) == numbers(estimate_row(ROWS[0]))


def test_a_row_without_measurement_has_no_error():
    row = {key: value for key, value in ROWS[0].items() if key != "measured"}
    assert "error_pct" not in estimate_row(row)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"heads": 33, "head_dim": None}, "33 heads"),
        ({"gpus": 0}, "ranks"),
        ({"gpus": 7}, "there are 7"),
        ({"gpus": 64, "mesh": {"pp": 64}}, "pp 64 over 32 layers"),
        ({"layers": -1}, "layers"),
        ({"params": 1}, "states 1"),
        ({"seq_len": "long"}, "seq_len"),
    ],
)
def test_nonsense_in_a_row_is_refused(change, said):
    with pytest.raises(RequestInvalid) as raised:
        estimate_row(ROWS[0] | change)
    assert said in raised.value.message


def test_values_of_the_wrong_kind_are_refused_or_survived():
    draw = random.Random(1)
    odd = [None, 0, -1, 2.5, "", "x", [], {}, True, 10**12, float("inf"), {"dp_shard": "8"}, {"tp": 2}]
    for _ in range(150):
        row = dict(draw.choice(ROWS))
        name = draw.choice(sorted(row))
        if isinstance(row[name], dict) and row[name] and draw.random() < 0.5:
            row[name] = row[name] | {draw.choice(sorted(row[name])): draw.choice(odd)}
        else:
            row[name] = draw.choice(odd)
        with suppress(InputError):
            json.dumps(estimate_row(row))


@pytest.mark.parametrize("row", [None, 3, [], "row"])
def test_what_is_no_object_is_refused(row):
    with pytest.raises(RequestInvalid):
        estimate_row(row)


def test_summary_counts_and_averages():
    results = [
        {"reserved_gib": 1.0, "error_pct": {"reserved_gib": -4.0}},
        {"reserved_gib": 1.0, "error_pct": {"reserved_gib": 2.0}},
        {"reserved_gib": None},
    ]
    summary = summarize(results)
    assert (summary["rows"], summary["predicted"], summary["compared"]) == (3, 2, 2)
    assert summary["reserved_abs_error_pct"]["mean"] == 3.0
