"""Plan requests of many kinds, each with the plan that an expert would defend and why."""

import json
from functools import cache
from pathlib import Path

import pytest

from engines.intake.assess import assess_request
from engines.intake.completed import complete_request
from engines.intake.request_file import parse_request
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import shape_of
from knowledge.cards import cards

FILE = Path(__file__).parents[3] / "cases" / "plan" / "plans.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
KNOWN = {
    "verdict", "fits", "recipe", "alternative", "says", "warns", "bound_by", "tokens_per_s_per_gpu", "world_size",
    "seq_len", "micro_batch_at_least", "first_without", "cost",
}  # fmt: skip


@cache
def made(name):
    """A plan is made once for all tests."""
    case = next(case for case in CASES if case["id"] == name)
    request = parse_request(case["request"])
    need = assess_request(request)
    whole = complete_request(request, need)
    return choose_plan(whole, need, shape_of(whole.model.name))


def within(value, bounds):
    return bounds[0] <= value <= bounds[1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_plan(case):
    plan, expect = made(case["id"]), case["expect"]
    assert set(expect) <= KNOWN
    assert plan.verdict == expect.get("verdict", plan.verdict)
    assert plan.fits is expect.get("fits", plan.fits)
    assert {name: getattr(plan.recipe, name) for name in expect.get("recipe", {})} == expect.get("recipe", {})
    for name, value in expect.get("alternative", {}).items():
        assert any(other.settings.get(name) == value and other.fits for other in plan.ranked), plan.alternatives
    assert not set(expect.get("first_without", ())) & set(plan.ranked[0].settings if plan.ranked else ())
    reasons = " ".join(decision.because for decision in plan.decisions)
    assert all(words in reasons for words in expect.get("says", ()))
    assert all(any(words in line for line in plan.warnings) for words in expect.get("warns", ()))
    assert plan.throughput.bound_by == expect.get("bound_by", plan.throughput.bound_by)
    assert within(plan.throughput.tokens_per_s_per_gpu, expect.get("tokens_per_s_per_gpu", (0, 1e9)))
    assert within(plan.world_size, expect.get("world_size", (1, 1e6)))
    assert within(plan.recipe.seq_len, expect.get("seq_len", (1, 1e9)))
    assert plan.recipe.micro_batch >= expect.get("micro_batch_at_least", 1)
    if "cost" in expect:
        assert within(plan.bill.cost, expect["cost"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_its_reasons(case):
    plan = made(case["id"])
    assert len(case["reason"]) > 80
    known = set(cards())
    assert all(decision.because and set(decision.cards) <= known for decision in plan.decisions)
    assert all(set(other.cards) <= known and other.settings for other in plan.ranked)


def test_there_are_twenty_kinds_of_request():
    assert len({case["id"] for case in CASES}) >= 20
    assert {case["expect"].get("verdict") for case in CASES} >= {
        "use_fsdp",
        "not_needed",
        "does_not_fit",
        "needs_more_than_fsdp",
    }
