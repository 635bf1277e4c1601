"""Estimates of the published runs: predictions come from the inputs alone."""

import json
import random
from pathlib import Path

import pytest

from contracts.errors import RequestInvalid
from engines.sizing.rows import MEASURED, estimate_row, summarize

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "cases" / "memory" / "published.jsonl").read_text().splitlines()
]


def predictions(rows):
    results = [estimate_row(row) for row in rows]
    return [json.dumps([result[name] for name in MEASURED]) for result in results]


def test_every_row_is_predicted_or_unsupported_with_the_reason():
    for row in ROWS:
        result = estimate_row(row)
        assert result["reserved_gib"] is not None or result["unsupported"]


def test_predictions_do_not_depend_on_what_was_measured_nor_on_names_and_order():
    blind = [{key: value for key, value in row.items() if key != "measured"} for row in ROWS]
    blind = [row | {"id": f"row-{index}", "source": "elsewhere", "note": None} for index, row in enumerate(blind)]
    order = list(range(len(ROWS)))
    random.Random(7).shuffle(order)
    shuffled = predictions([blind[index] for index in order])
    assert dict(zip(order, shuffled, strict=True)) == dict(enumerate(predictions(ROWS)))


def test_a_row_without_measurement_has_no_error():
    row = {key: value for key, value in ROWS[0].items() if key != "measured"}
    assert "error_pct" not in estimate_row(row)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"heads": 33, "head_dim": None}, "33 heads"),
        ({"gpus": 0}, "ranks"),
        ({"gpus": 7}, "there are 7"),
        ({"layers": -1}, "layers"),
        ({"params": 1}, "states 1"),
        ({"seq_len": "long"}, "seq_len"),
    ],
)
def test_nonsense_in_a_row_is_refused(change, said):
    with pytest.raises(RequestInvalid) as raised:
        estimate_row(ROWS[0] | change)
    assert said in raised.value.message


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
