"""Estimates: the numbers, their parts, and what is said with them."""

import pytest

from engines.sizing.estimate import KNOWN_ERROR_PCT, estimate_memory
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup

LLAMA = named_shape("llama-3-8b")


def test_parts_add_up_to_what_is_reserved():
    estimate = estimate_memory(LLAMA, make_setup(ranks=8, seq_len=8192, ac="full"))
    assert sum(estimate.breakdown_gib.values()) == pytest.approx(estimate.reserved_gib, abs=0.02)


def test_margin_is_what_capacity_leaves_after_reserved_and_overhead():
    estimate = estimate_memory(LLAMA, make_setup(ranks=8, seq_len=8192, ac="full"), 79.1)
    assert estimate.margin_gib == pytest.approx(79.1 - estimate.reserved_gib - estimate.overhead_gib, abs=0.002)
    assert estimate.overhead_gib > 0


def test_reference_run_of_torchtitan():
    # torchtitan PR 822 logs 42.08 GiB at the first step and 49.59 from the second on
    setup = make_setup(
        ranks=8,
        seq_len=8192,
        ac="selective_op",
        norm_kernel="decomposed",
        expandable_segments=True,
        model_code="torchtitan",
    )
    estimate = estimate_memory(LLAMA, setup)
    assert estimate.reserved_gib == pytest.approx(49.59, rel=0.005)
    assert estimate.step1_reserved_gib == pytest.approx(42.08, rel=0.005)
    assert estimate.peak_phase == "loss"


def test_formula_shows_the_arithmetic_and_the_trace():
    lines = estimate_memory(LLAMA, make_setup(ranks=8, seq_len=8192)).formula
    assert any("12VT" in line for line in lines)
    assert "allocation trace" in lines[-1]


def test_assumptions_say_what_they_are_worth():
    lines = estimate_memory(LLAMA, make_setup(ranks=8, seq_len=8192)).assumptions
    assert sum("worth up to" in line for line in lines) >= 3


def test_host_memory_of_a_cpu_rank_has_no_allocator_on_top():
    estimate = estimate_memory(LLAMA, make_setup(ranks=2, seq_len=128, device="cpu"))
    assert estimate.reserved_gib == estimate.active_gib == estimate.step1_reserved_gib
    assert estimate.overhead_gib == 0


def test_what_is_not_expressed_is_named():
    setup = make_setup(ranks=8, seq_len=512, optimizer="adafactor")
    assert any("adafactor" in line for line in estimate_memory(LLAMA, setup).unsupported)


def test_the_stated_error_is_the_callers():
    setup = make_setup(ranks=8, seq_len=512)
    assert estimate_memory(LLAMA, setup, error_pct=KNOWN_ERROR_PCT).error_pct == KNOWN_ERROR_PCT
