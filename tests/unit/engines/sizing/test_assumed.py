"""What is left open: each assumption with its worth, and the interval of all."""

import re

import pytest

from engines.sizing.assumed import assumptions, estimate_interval
from engines.sizing.estimate import KNOWN_ERROR_PCT, estimate_memory
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup

SHAPE = named_shape("llama-3.2-1b")
SETUP = make_setup(ranks=8, seq_len=8192, ac="full")
OPEN = {"expandable_segments", "loss_impl", "logits_kept", "norm_kernel", "wrap", "reshard_last", "root_reshard",
        "optimizer_impl", "materialized_attention"}  # fmt: skip


def test_the_worth_of_an_assumption_is_what_the_prediction_changes_by():
    before = estimate_memory(SHAPE, SETUP).reserved_gib
    found = assumptions(SHAPE, SETUP, ())
    assert {item.setting for item in found} <= OPEN
    assert [abs(item.worth_gib) for item in found] == sorted((abs(item.worth_gib) for item in found), reverse=True)
    for item in found:
        after = estimate_memory(SHAPE, SETUP.model_copy(update=item.otherwise)).reserved_gib
        assert item.worth_gib == pytest.approx(after - before, abs=1e-4)
        assert re.search(r"[+-]\d+\.\d\d GiB", item.line)


def test_the_interval_holds_every_open_value_and_the_models_error():
    memory = estimate_interval(SHAPE, SETUP, ())
    error = KNOWN_ERROR_PCT / 100
    for item in assumptions(SHAPE, SETUP, ()):
        if item.counted:
            assert memory.low_gib < memory.reserved_gib + item.worth_gib < memory.high_gib
    closed = estimate_interval(SHAPE, SETUP, OPEN)
    assert closed.low_gib == pytest.approx(closed.reserved_gib * (1 - error), abs=0.001)
    assert closed.high_gib == pytest.approx(closed.reserved_gib * (1 + error), abs=0.001)
    assert memory.low_gib < closed.low_gib < closed.high_gib <= memory.high_gib


def test_what_was_given_is_no_assumption():
    lines = estimate_interval(SHAPE, SETUP, {"loss_impl", "expandable_segments"}).assumptions
    assert not any(line.startswith(("loss_impl", "expandable_segments")) and "not given" in line for line in lines)
    assert any("not given" in line for line in lines)
