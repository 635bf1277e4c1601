"""Measured peaks of a user's own runs: stored with their source, used for runs of their kind alone."""

import pytest

from contracts.errors import RequestInvalid
from engines.sizing.calibration import Record, calibrated, read_records, speed_ratio, stored_name
from engines.sizing.estimate import estimate_memory
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup

SHAPE = named_shape("llama-3.2-1b")
SETUP = make_setup(ranks=8, seq_len=4096, ac="full")


def record(factor, setup=SETUP, source="run r-1"):
    return Record(SHAPE, setup, factor * estimate_memory(SHAPE, setup).reserved_gib, source)


def test_a_record_survives_its_file():
    written = record(1.1)
    assert read_records(written.line() + "\n\n" + written.line(), "mine.jsonl") == (written, written)


def test_the_prediction_is_multiplied_by_the_mean_ratio_and_each_source_is_shown():
    records = record(1.2, source="a"), record(1.2 * 1.21, source="b")
    gib, used = calibrated(records, SETUP.model_copy(update={"seq_len": 8192}), 100.0)
    assert gib == pytest.approx(100 * 1.2 * 1.1, rel=1e-6)  # the geometric mean of 1.2 and 1.452
    assert [item.source for item in used] == ["a", "b"]


@pytest.mark.parametrize("change", [{"ac": "none"}, {"compile": True}, {"optimizer": "sgd"}, {"cpu_offload": True}])
def test_a_run_of_another_kind_says_nothing(change):
    assert calibrated((record(2.0),), SETUP.model_copy(update=change), 100.0) == (None, ())


@pytest.mark.parametrize(
    "line",
    [
        "{", "[]", "3", "{}", '{"reserved_gib": 1}',
        record(1.0).line().replace('"run r-1"', '""'),
        record(1.0).line().replace('"layers": 16', '"layers": -1'),
        record(1.0).line().replace('"ranks": 8', '"ranks": 7'),
        Record(SHAPE, SETUP, float("nan"), "x").line(),
        Record(SHAPE, SETUP, -1.0, "x").line(),
        '{"a":' * 5000,
    ],
)  # fmt: skip
def test_a_line_that_is_no_record_is_named(line):
    with pytest.raises(RequestInvalid) as raised:
        read_records(record(1.0).line() + "\n" + line, "mine.jsonl")
    assert "mine.jsonl, line 2" in raised.value.message


@pytest.mark.parametrize("factor", [3.5, 1000.0, 0.2])
def test_a_peak_far_from_its_prediction_is_of_another_run_and_says_so(factor):
    with pytest.raises(RequestInvalid, match="times the") as refused:
        calibrated((record(factor),), SETUP, 100.0)
    assert "check unit, model and settings" in refused.value.hint


def test_speeds_are_scaled_by_the_mean_ratio_of_those_that_were_measured():
    records = tuple(Record(SHAPE, SETUP, record(1.0).reserved_gib, "x", ratio) for ratio in (0.5, 2.0, None))
    assert speed_ratio(records, SETUP) == pytest.approx(1.0)  # the geometric mean of a half and 2
    assert speed_ratio(records[2:], SETUP) is None
    with pytest.raises(RequestInvalid, match="a speed of 9"):
        read_records(Record(SHAPE, SETUP, 1.0, "x", 9.0).line(), "mine.jsonl")


def test_a_file_is_named_by_gpu_and_torch():
    assert stored_name("H100-80GB", "2.13.0+cu128") == "h100-80gb-torch-2.13.0.jsonl"
    assert stored_name("../../etc", "2.6/../x") == "..-..-etc-torch-2.6-..-x.jsonl".lstrip("-")
