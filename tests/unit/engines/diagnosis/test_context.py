"""What is known besides the logs: a review's findings and the memory model's numbers count as evidence."""

from typing import Any

import pytest

from contracts.diagnosis import Diagnosis
from contracts.finding import Finding
from engines.diagnosis.clue import Clue
from engines.diagnosis.context import clues_of_findings, clues_of_memory
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.reading import read_text

GUARD = Finding(
    rule="FSDP010",
    slug="collective-under-rank-guard",
    severity="error",
    file="train.py",
    line=88,
    message="state_dict() is called under `if rank == 0`",
    cards=("collective-under-rank-guard",),
)
HANGS = "[rank1]: step 400\nthe job hangs after step 400, no error"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def given(text: str, *clues: Clue) -> Diagnosis:
    return diagnose_text(read_text(text), clues=clues)


def test_the_rank_guard_in_the_code_explains_the_hang() -> None:
    assert given(HANGS).verdict == "unknown"
    found = given(HANGS, *clues_of_findings([GUARD]))
    assert found.verdict == "diagnosed"
    assert found.causes[0].cause == "rank-conditional-collective"
    first = found.causes[0].evidence[0]
    assert (first.file, first.line) == ("train.py", 88)
    assert "if rank == 0" in first.text


def test_a_fault_that_does_not_fit_the_failure_stands_back() -> None:
    text = "RuntimeError: The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use)."
    found = given(text, *clues_of_findings([GUARD]))
    assert found.causes[0].cause == "master-port-in-use"


def plan(reserved: float, margin: float, **more: Any) -> dict[str, Any]:
    return {"memory": {"reserved_gib": reserved, "margin_gib": margin, "peak_phase": "backward"}, **more}


def test_an_oom_that_the_model_predicts_is_explained_with_what_would_fit() -> None:
    ranked = [
        {"fits": False, "settings": {"micro_batch": 2}, "reserved_gib": 90.0},
        {"fits": True, "settings": {"micro_batch": 1, "activation_checkpointing": "block"}, "reserved_gib": 61.5},
    ]
    found = given(OOM, *clues_of_memory(plan(95.3, -16.2, ranked=ranked), "plan.json"))
    assert found.causes[0].cause == "memory-exceeds-gpu"
    text = found.causes[0].evidence[0].text
    assert "95.3 GiB" in text
    assert "16.2 GiB more than there are" in text
    assert "micro_batch=1, activation_checkpointing=block (61.5 GiB)" in text


def test_a_prediction_that_fits_speaks_against_plain_lack_of_memory() -> None:
    found = given(OOM, *clues_of_memory(plan(40.0, 30.0), "plan.json"))
    assert "memory-exceeds-gpu" not in {cause.cause for cause in found.causes}


def test_a_prediction_says_nothing_where_memory_did_not_run_out() -> None:
    with_plan = given(HANGS, *clues_of_memory(plan(95.3, -16.2), "plan.json"))
    assert "memory-exceeds-gpu" not in {cause.cause for cause in with_plan.causes}


@pytest.mark.parametrize("odd", [{}, {"memory": None}, {"memory": {"reserved_gib": "much", "margin_gib": None}}])
def test_what_is_no_plan_gives_no_clue(odd: dict[str, Any]) -> None:
    assert clues_of_memory(odd, "plan.json") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("server socket has failed to bind to [::]:29507 (errno: 98 - Address already in use)", "29507"),
        ("Could not find the transformer layer class LlamaDecoderLayer in the model.", "`LlamaDecoderLayer`"),
    ],
)
def test_the_fix_names_what_this_input_names(text: str, said: str) -> None:
    assert said in given(text).causes[0].fix


def test_a_longer_time_out_is_offered_only_where_slowness_is_legitimate() -> None:
    from engines.diagnosis.registry import cause_rules
    from engines.diagnosis.wording import card_text

    slow = {"slow-save-exceeds-timeout", "rank0-slow-work-before-collective", "timeout-set-on-other-pg"}
    for rule in cause_rules():
        fix = card_text(rule.card)[1].lower()
        raises = any(word in fix for word in ("raise the time", "longer time", "increase the time", "larger time"))
        assert not raises or rule.cause in slow or "only hides" in fix, rule.cause


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("training hangs after hours; gpu 5 is idle, all others at 100 %", "of rank 5 first"),
        ("CUDA out of memory in some step", "memory snapshot"),
        ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: exitcode : 1", "TORCHELASTIC_ERROR_FILE"),
        ("it does not work", "all ranks"),
    ],
)
def test_three_things_would_decide_and_fit_the_failure(text: str, wanted: str) -> None:
    from engines.diagnosis.collect import needed

    things = needed(text.lower(), read_text(text), None)
    assert len(things) == 3
    assert any(wanted in thing for thing in things)
