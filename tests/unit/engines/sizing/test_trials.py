"""Trials: what is tried, which one wins by hand arithmetic, and what of the measurements is kept."""

import pytest

from contracts.aim import Aim
from contracts.plan import Alternative
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.trials import Trial, TrialResult, Trials
from engines.sizing.calibration import read_records, speed_ratio
from engines.sizing.candidates import candidates
from engines.sizing.choose import choose_plan, setup_of
from engines.sizing.estimate import estimate_memory
from engines.sizing.hf_config import named_shape
from engines.sizing.kept import kept_of
from engines.sizing.measured import judged

SHAPE = named_shape("Llama-3.2-1B")


def request(**fields):
    given = {"intent": "plan", "model": {"name": "Llama-3.2-1B"}, "method": "full", "trials": 3}
    return Request.model_validate(given | fields)


GPU = {"hardware": {"gpus": 4, "gpu_type": "A100-40GB"}, "recipe": {"seq_len": 2048}}
CPU = {"hardware": {"device": "cpu", "ranks": 2}, "recipe": {"seq_len": 64}}


@pytest.fixture(scope="module")
def on_gpu():
    asked = request(**GPU)
    return asked, choose_plan(asked, None, SHAPE)


def test_the_plan_s_fastest_alternatives_of_the_built_in_recipe_are_tried_and_the_rest_is_named(on_gpu):
    asked, plan = on_gpu
    found = candidates(asked, plan, SHAPE, 3)
    assert found.trials[0].label == "chosen"
    assert found.trials[0].recipe == plan.recipe
    own = [other for other in plan.ranked if other.built_in and other.fits]
    assert [t.predicted_tokens_per_s_per_gpu for t in found.trials[1:]] == [
        other.tokens_per_s_per_gpu for other in own[:2]
    ]
    # every one is another recipe, and each setting that the alternative names is in it
    assert len({trial.recipe.model_dump_json() for trial in found.trials}) == 3
    scripts = [other for other in plan.ranked if not other.built_in]
    assert scripts
    assert sum("a script of your own" in line for line in found.left_out) == len(scripts)


def test_what_does_not_fit_or_takes_other_ranks_is_not_tried(on_gpu):
    asked, plan = on_gpu
    numbers = {"reserved_gib": 50.0, "tokens_per_s_per_gpu": 9e9, "gives_up": (), "built_in": True}
    too_large = Alternative(settings={"micro_batch": 64}, fits=False, **numbers)
    other_ranks = Alternative(settings={"ranks": 8}, fits=True, **numbers)
    found = candidates(asked, plan.model_copy(update={"ranked": (too_large, other_ranks)}), SHAPE, 3)
    assert [trial.label for trial in found.trials] == ["chosen"]
    said = "\n".join(found.left_out)
    assert "micro_batch=64 (50.0 GiB predicted do not fit)" in said
    assert "ranks=8 (it takes another number of ranks)" in said
    assert "3 trials were asked for, 1" in said


def test_without_a_known_gpu_the_neighbours_in_what_is_left_open_are_tried():
    asked = request(**CPU)
    plan = choose_plan(asked, None, SHAPE)
    found = candidates(asked, plan, SHAPE, 4)
    changed = [
        {name for name, value in trial.recipe.model_dump().items() if value != getattr(plan.recipe, name)}
        for trial in found.trials
    ]
    assert changed[0] == set()
    assert all(len(names) == 1 and "seq_len" not in names for names in changed[1:])
    assert all(trial.predicted_tokens_per_s_per_gpu is None for trial in found.trials)
    # what is stated stays: then one fewer is left to try
    stated = {"seq_len": 64, "reshard_after_forward": True, "micro_batch": 1, "activation_checkpointing": "none"}
    fixed = request(hardware=CPU["hardware"], recipe=stated)
    assert len(candidates(fixed, choose_plan(fixed, None, SHAPE), SHAPE, 4).trials) == 1


def trial(label, speed=None, peak=None, **recipe):
    return Trial(
        label=label, recipe=Recipe(**recipe), predicted_tokens_per_s_per_gpu=speed, predicted_reserved_gib=peak
    )


def result(label, speed, peak=10.0, peak_of="cuda_reserved", **more):
    return TrialResult(
        label=label, status="measured", tokens_per_s_per_gpu=speed, peak_gib=peak, peak_of=peak_of, steps=8, **more
    )


def test_the_fastest_wins_with_its_ratios():
    tried = judged(
        (trial("chosen", 1000.0, 20.0), trial("other", 800.0, 8.0)),
        (result("chosen", 900.0), result("other", 1200.0)),
        Aim(),
        None,
    )
    assert tried.winner == "other"
    assert "33% more than chosen (900)" in tried.because  # 1200 / 900 = 1.333
    assert [one.speed_ratio for one in tried.results] == [pytest.approx(0.9), pytest.approx(1.5)]
    assert [one.memory_ratio for one in tried.results] == [pytest.approx(0.5), pytest.approx(1.25)]


def test_speeds_that_are_alike_are_settled_by_memory_and_on_cpu_ranks_by_the_plan():
    trials = (trial("chosen"), trial("lean"))
    on_gpu = (result("chosen", 1000.0, 30.0), result("lean", 990.0, 12.0))
    assert judged(trials, on_gpu, Aim(), None).winner == "lean"
    on_cpu = (result("chosen", 990.0, 0.4, "rss"), result("lean", 1000.0, 0.3, "rss"))
    found = judged(trials, on_cpu, Aim(), None)
    assert found.winner == "chosen"
    assert all(one.memory_ratio is None for one in found.results)


def test_steps_that_lay_far_apart_make_speeds_alike_up_to_a_bound():
    trials = (trial("chosen"), trial("other"))

    def winner(first, second, spread):
        pairs = (("chosen", first), ("other", second))
        measured = tuple(result(label, speed, 0.4, "rss", spread_pct=spread) for label, speed in pairs)
        return judged(trials, measured, Aim(), None).winner

    assert winner(1000.0, 1080.0, 1.0) == "other"  # 8 % apart, of steps that agree within 2 %
    assert winner(1000.0, 1080.0, 5.0) == "chosen"  # within the 10 % by which the steps differ themselves
    assert winner(1000.0, 1300.0, 60.0) == "other"  # however far they lay apart, 30 % is a difference


def test_what_keeps_no_margin_loses_unless_nothing_keeps_it():
    trials = (trial("chosen"), trial("full"))
    results = (result("chosen", 900.0, 60.0), result("full", 1200.0, 76.0))
    # (79.11 - 1.5) / 1.08 = 71.9 GiB
    assert judged(trials, results, Aim(), 79.11).winner == "chosen"
    found = judged(trials[1:], results[1:], Aim(), 79.11)
    assert found.winner == "full"
    assert "no configuration kept the margin" in found.because


def test_a_goal_counts_before_speed():
    trials = (trial("chosen", micro_batch=8), trial("small", micro_batch=1))
    results = (result("chosen", 900.0), result("small", 1200.0))
    assert judged(trials, results, Aim(goal="largest_micro_batch"), None).winner == "chosen"
    assert judged(trials, results, Aim(), None).winner == "small"


def test_where_none_was_measured_there_is_no_winner_and_each_reason_is_told():
    failed = TrialResult(label="chosen", status="failed", reason="out of memory")
    found = judged((trial("chosen"), trial("b")), (failed, TrialResult(label="b", status="not_run")), Aim(), None)
    assert found.winner is None
    assert "chosen: out of memory" in found.because


def test_peaks_on_a_known_gpu_are_kept_by_gpu_and_torch_and_can_be_read_again():
    asked = request(**GPU)
    setup = setup_of(asked, asked.recipe, 4)
    predicted = estimate_memory(SHAPE, setup).reserved_gib
    measured = result(
        "chosen", 800.0, predicted * 1.2, torch="2.9.1+cu128", device="NVIDIA A100-SXM4-40GB", speed_ratio=0.8
    )
    tried = Trials(trials=(Trial(label="chosen", recipe=asked.recipe),), results=(measured,))
    kept = kept_of(tried, asked, SHAPE, 4, "r-0123456789ab")
    [(name, [record])] = kept.files.items()
    assert name == "a100-40gb-torch-2.9.1.jsonl"
    assert read_records(record.line(), name) == (record,)
    assert record.source == "run r-0123456789ab, trial chosen"
    assert speed_ratio((record,), setup) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"peak_of": "rss"}, "resident set"),
        ({"device": "Zeta 9"}, "'Zeta 9' is not known"),
        ({"torch": None}, "torch is not known"),
        ({"peak_gib": 4000.0}, "times the"),
        ({"speed_ratio": 50.0}, "a speed of 50"),
    ],
)
def test_what_cannot_be_believed_is_not_kept_and_it_is_said(changes, why):
    asked = request(**GPU)
    peak = estimate_memory(SHAPE, setup_of(asked, asked.recipe, 4)).reserved_gib
    good = result("chosen", 800.0, peak, torch="2.9.1", device="NVIDIA H200", speed_ratio=1.0)
    tried = Trials(trials=(Trial(label="chosen", recipe=asked.recipe),), results=(good.model_copy(update=changes),))
    kept = kept_of(tried, asked, SHAPE, 4, "r-0123456789ab")
    assert not kept.files
    assert why in kept.said[0]
