"""From a diagnosis to the next round: bounded, never the same fix twice, and a person where nothing is safe."""

from typing import Any

import pytest

from contracts.amendment import MAX_ROUNDS, Amendment
from contracts.diagnosis import Diagnosis
from contracts.finding import Edit
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.run import RunRecord
from engines.diagnosis.registry import cause_rules
from engines.mending.amended import amended_request, amended_variables
from engines.mending.choose import handed_back, next_amendment
from engines.mending.rounds import judged
from engines.mending.situation import Repaired, Saved, Situation
from engines.mending.table import CURES
from engines.mending.texts import edits_between, unified_diff
from engines.review.edits import apply_edits

SCRIPT = "/job/train.py"
RUN = {"run_id": "r-00000000000b", "key": "k", "launch_hash": "0" * 64, "kind": "train", "run_dir": "/r", "attempt": 1}
RUN |= {"state": "failed", "created_at": 1.0}
FIXED_PORT = 'import os\nos.environ["MASTER_PORT"] = "29500"\nprint("step")\n'


def found(*causes: str, confidence: float = 0.8, verdict: str = "diagnosed") -> Diagnosis:
    facts = [
        {"cause": cause, "confidence": confidence, "summary": "s", "fix": "Do this. And that."} for cause in causes
    ]
    return Diagnosis.model_validate({"verdict": verdict, "causes": facts, "needed": ["the logs", "the stacks"]})


def train(**more: Any) -> Situation:
    recipe = Recipe.model_validate({"micro_batch": 4, "grad_accum": 2} | more.pop("recipe", {}))
    hardware = {"device": more.pop("device", "cuda"), "ranks": 2}
    return Situation(request=Request.model_validate({"intent": "run", "hardware": hardware}), recipe=recipe, **more)


def script(text: str = FIXED_PORT, **more: Any) -> Situation:
    request = {"intent": "run", "script": {"path": SCRIPT}, "hardware": {"device": "cpu", "ranks": 2}}
    return Situation(request=Request.model_validate(request), recipe=Recipe(), sources={SCRIPT: text}, **more)


def next_of(diagnosis: Diagnosis, situation: Situation, *before: Amendment, own: str | None = None) -> Amendment | None:
    mine = dict(situation.sources) if own is None else {SCRIPT: own}
    return next_amendment(diagnosis, situation, mine, before, RunRecord.model_validate(RUN))


def test_memory_that_runs_out_halves_the_micro_batch_and_keeps_the_tokens_of_a_step() -> None:
    made = next_of(found("memory-exceeds-gpu"), train())
    assert made is not None
    assert (made.round, made.kind, made.cause) == (1, "recipe", "memory-exceeds-gpu")
    assert made.settings == {"recipe.micro_batch": 2, "recipe.grad_accum": 4}  # 4 * 2 = 2 * 4 sequences
    assert "as many tokens as before" in made.why
    assert made.costs


def test_where_the_first_cure_does_not_hold_the_next_is_taken_until_none_is_left() -> None:
    one = {"recipe": {"micro_batch": 1}}
    first = next_of(found("memory-exceeds-gpu"), train(**one))
    assert first is not None
    assert first.settings == {"recipe.activation_checkpointing": "full"}
    full = {"recipe": {"micro_batch": 1, "activation_checkpointing": "full"}}
    second = next_of(found("memory-exceeds-gpu"), train(**full), first)
    assert second is not None
    assert second.settings == {"recipe.cpu_offload": True}
    everything = {"recipe": {**full["recipe"], "cpu_offload": True}}
    assert next_of(found("memory-exceeds-gpu"), train(**everything), first, second) is None


def test_the_same_fix_is_never_proposed_twice() -> None:
    situation = train(recipe={"micro_batch": 1})
    first = next_of(found("memory-exceeds-gpu"), situation)
    assert first is not None
    again = next_of(found("memory-exceeds-gpu"), situation, first)  # as if the change had come to nothing
    assert again is not None
    assert again.settings != first.settings
    mended = next_of(found("master-port-in-use"), script())
    assert mended is not None
    assert next_of(found("master-port-in-use"), script(), mended) is None


def test_after_three_rounds_a_person_decides() -> None:
    rounds = [
        Amendment.model_validate(
            {"round": n, "cause": "x", "kind": "recipe", "settings": {"recipe.lr": 1 / n}, "why": "w"}
        )
        for n in range(1, MAX_ROUNDS + 1)
    ]
    assert next_of(found("memory-exceeds-gpu"), train(), *rounds[:2]) is not None
    assert next_of(found("memory-exceeds-gpu"), train(), *rounds) is None
    assert handed_back(found("memory-exceeds-gpu"), 3).startswith("3 rounds were made, which is the most")


@pytest.mark.parametrize(
    "diagnosis",
    [
        found("memory-exceeds-gpu", verdict="unknown"),
        found("memory-exceeds-gpu", confidence=0.29),
        found("gpu-hardware-fault"),
        found(),
    ],
    ids=["unknown", "not sure", "no cure", "no cause"],
)
def test_what_is_not_known_or_has_no_safe_cure_is_left_to_a_person(diagnosis: Diagnosis) -> None:
    assert next_of(diagnosis, train()) is None
    assert handed_back(diagnosis, 0)


def test_what_a_person_has_to_do_is_said() -> None:
    assert "to know more, collect: the logs; the stacks" in handed_back(found(verdict="unknown"), 0)
    assert handed_back(found(), 0, "fsdp-agent jobs resume r-1").endswith(
        "newest checkpoint: fsdp-agent jobs resume r-1"
    )
    said = handed_back(found("gpu-hardware-fault"), 0)
    assert said.startswith("for gpu-hardware-fault there is no change that is safe without you. By hand: Do this. ")


SAVED = (
    Saved("/run/ckpt/step-00000060", 60),
    Saved("/run/ckpt/step-00000040", 40),
    Saved("/run/ckpt/step-00000020", 20),
)


def test_it_starts_from_the_newest_whole_checkpoint() -> None:
    made = next_of(found("memory-exceeds-gpu"), train(saved=SAVED))
    assert made is not None
    assert (made.resumes_from, made.resumes_step) == ("/run/ckpt/step-00000060", 60)
    none = next_of(found("memory-exceeds-gpu"), train())
    assert none is not None
    assert none.resumes_from is None
    assert "no whole checkpoint" in none.resume_reason


def test_after_numbers_that_are_not_finite_it_starts_from_before_them() -> None:
    made = next_of(found("training-diverged"), train(saved=SAVED, trouble_step=41, recipe={"steps": 100, "lr": 1.0}))
    assert made is not None
    assert (made.resumes_step, made.settings["recipe.lr"]) == (40, 0.1)
    assert "before step 41" in made.resume_reason
    first = next_of(found("training-diverged"), train(saved=SAVED, trouble_step=20, recipe={"lr": 1.0}))
    assert first is not None
    assert first.resumes_from is None, "step 20 itself went wrong, and its checkpoint with it"


def test_a_script_is_given_no_checkpoint_of_another_run() -> None:
    made = next_of(found("master-port-in-use"), script(saved=SAVED))
    assert made is not None
    assert made.resumes_from is None
    assert "checkpoints of its own" in made.resume_reason


def test_a_changed_script_is_shown_as_a_diff_against_the_users_own_file() -> None:
    made = next_of(found("master-port-in-use"), script())
    assert made is not None
    assert made.diff.splitlines() == [
        "--- a/job/train.py",
        "+++ b/job/train.py",
        "@@ -1,3 +1,2 @@",
        " import os",
        '-os.environ["MASTER_PORT"] = "29500"',
        ' print("step")',
    ]
    assert apply_edits(FIXED_PORT, made.edits[SCRIPT]) == 'import os\nprint("step")\n'


def test_a_second_round_keeps_the_change_of_the_first_and_shows_both() -> None:
    own = FIXED_PORT + 'dist.init_process_group("nccl")\n'
    ran = own.replace('os.environ["MASTER_PORT"] = "29500"\n', "")
    first = next_of(found("master-port-in-use"), script(own))
    assert first is not None
    second = next_of(found("cuda-not-available"), script(ran), first, own=own)
    assert second is not None
    assert apply_edits(own, second.edits[SCRIPT]) == ran.replace("nccl", "gloo")
    assert "MASTER_PORT" in second.diff
    assert '+dist.init_process_group("gloo")' in second.diff
    # and a change of the launch alone loses no line of the script
    third = next_of(found("host-memory-limit-reached"), _with_batch(ran), first, second, own=own)
    assert third is not None
    assert apply_edits(own, third.edits[SCRIPT]) == ran


def _with_batch(text: str) -> Situation:
    request = {"intent": "run", "script": {"path": SCRIPT, "args": ["--batch-size=64"]}}
    return Situation(request=Request.model_validate(request), recipe=Recipe(), sources={SCRIPT: text})


def test_a_script_that_looks_for_files_beside_itself_is_not_run_as_a_copy() -> None:
    text = FIXED_PORT + "here = Path(__file__).parent\n"
    assert next_of(found("master-port-in-use"), script(text)) is None


def test_what_the_review_can_mend_is_taken_where_it_explains_the_cause() -> None:
    cause = {"cause": "one-of-no-table", "confidence": 0.8, "summary": "s", "fix": "f", "cards": ["card-a"]}
    diagnosis = Diagnosis.model_validate({"verdict": "diagnosed", "causes": [cause]})
    fits = Repaired(("card-a",), "the call lacks x", SCRIPT, "print('mended')\n")
    made = next_of(diagnosis, script(repaired=(fits,)))
    assert made is not None
    assert apply_edits(FIXED_PORT, made.edits[SCRIPT]) == "print('mended')\n"
    assert "the call lacks x" in made.why
    other = Repaired(("card-b",), "the call lacks x", SCRIPT, "print('mended')\n")
    assert next_of(diagnosis, script(repaired=(other,))) is None


def test_every_cause_with_a_cure_is_one_that_can_be_diagnosed() -> None:
    known = {rule.cause for rule in cause_rules()}
    assert set(CURES) <= known


ROUND = {"round": 1, "cause": "memory-exceeds-gpu", "kind": "recipe", "why": "w", "after_run": "r-00000000000a"}


@pytest.mark.parametrize(
    ("state", "diagnosis", "outcome"),
    [
        ("done", None, "held"),
        ("failed", found("memory-exceeds-gpu"), "not_held"),
        ("failed", found("logits-fp32-spike"), "next_problem"),
        ("failed", found(verdict="unknown"), "not_held"),
        ("cancelled", None, None),
        ("running", None, None),
    ],
)
def test_whether_a_fix_held_is_told_by_the_end_of_its_run(
    state: str, diagnosis: Diagnosis | None, outcome: str | None
) -> None:
    run = RunRecord.model_validate({**RUN, "state": state, "created_at": 1.0})
    [told] = judged([Amendment.model_validate(ROUND)], run, diagnosis)
    assert (told.outcome, told.run_id) == (outcome, "r-00000000000b")


def test_a_round_whose_run_was_not_started_is_not_judged_by_the_run_before() -> None:
    run = RunRecord.model_validate({**RUN, "run_id": "r-00000000000a", "state": "failed", "created_at": 1.0})
    [told] = judged([Amendment.model_validate(ROUND)], run, found("memory-exceeds-gpu"))
    assert (told.outcome, told.run_id) == (None, None)


def test_the_changes_of_all_rounds_are_laid_over_the_request() -> None:
    rounds = [
        Amendment.model_validate({**ROUND, "settings": {"recipe.micro_batch": 4, "env.A": "1", "script.args": ["x"]}}),
        Amendment.model_validate({**ROUND, "round": 2, "settings": {"recipe.micro_batch": 2, "limits.file_gib": 3.0}}),
    ]
    request = Request.model_validate({"intent": "run", "script": {"path": SCRIPT}, "recipe": {"seq_len": 64}})
    changed = amended_request(request, None, rounds)
    assert (changed.recipe.micro_batch, changed.recipe.seq_len) == (2, 64)
    assert (changed.script and changed.script.args, changed.limits and changed.limits.file_gib) == (("x",), 3.0)
    assert amended_variables(rounds) == {"A": "1"}
    whole = amended_request(request, Recipe(grad_accum=8), rounds)
    assert (whole.recipe.grad_accum, whole.recipe.micro_batch) == (8, 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nc\n"),
        ("a\nb", "a\nx\nb"),
        ("a\r\nb\r\n", "a\r\nx\r\nb\r\n"),
        ("", "a"),
        ("a\n\n\nb\n", "b\n\na\n"),
    ],
)
def test_edits_make_the_new_text_of_the_old(old: str, new: str) -> None:
    assert apply_edits(old, edits_between(old, new)).splitlines() == new.splitlines()


def test_no_edit_and_no_diff_where_nothing_changes() -> None:
    assert edits_between("a\n", "a\n") == ()
    assert unified_diff({SCRIPT: "a\n"}, {SCRIPT: "a\n"}) == ""
    assert edits_between("a\n", "b\n") == (Edit(line=1, old=("a",), new=("b",)),)
