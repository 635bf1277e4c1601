"""The report and its gist, from real contracts; every expected word follows from them."""

from typing import Any

import pytest

from contracts.answer import Answer, Citation
from contracts.approval import Approval
from contracts.diagnosis import Cause, Diagnosis, Evidence
from contracts.event import Event
from contracts.finding import Finding
from contracts.launch import InputDigest, LaunchRequest, LaunchResources
from contracts.memory import MemoryEstimate
from contracts.need import MissingInput, Need, Reason
from contracts.plan import Decision, Plan
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.run import RunRecord
from engines.reporting.document import render
from engines.reporting.outcome import run_sentence
from engines.reporting.sections import plan as plan_section
from engines.reporting.series import TrainingSeries
from engines.reporting.story import Failure, Story
from engines.reporting.summary import summarize

HASH = "c" * 64


def need(**changed: Any) -> Need:
    body = {
        "intent": "run",
        "verdict": "use_fsdp",
        "language": "en",
        "reasons": [Reason(code="explicit_run_request", text="8.03 B x 16 = 128 GB", cards=("model-state-bytes",))],
        **changed,
    }
    return Need.model_validate(body)


def plan() -> Plan:
    launch = LaunchRequest(
        kind="train",
        interpreter="/opt/a b/python",
        argv=("-m", "torch.distributed.run"),
        workdir="/w",
        resources=LaunchResources(nodes=1, ranks_per_node=2, device="cpu"),
        writes=("{run_dir}",),
        inputs=(InputDigest(role="config", path="/p/config.json", sha256="d" * 64, size_bytes=3),),
    )
    memory = MemoryEstimate(
        active_gib=10.0,
        reserved_gib=12.5,
        step1_reserved_gib=11.0,
        overhead_gib=1.0,
        error_pct=15.0,
        peak_phase="backward",
        breakdown_gib={"parameters": 4.0, "activations": 0.05},
        formula=("parameters: 4 P/N",),
        assumptions=("no swap",),
    )
    return Plan(
        plan_id="0" * 12,
        verdict="use_fsdp",
        fits=None,
        memory=memory,
        recipe=Recipe(steps=60),
        world_size=2,
        decisions=(Decision(choice="reduce_dtype=fp32", because="small | gradients", cards=("no-such-card",)),),
        launch=launch,
        warnings=("2 ranks share 1 core",),
    )


def run(state: str = "done", **changed: Any) -> RunRecord:
    body = {
        "run_id": "r-0123456789ab",
        "key": "t-1:x",
        "launch_hash": HASH,
        "kind": "train",
        "state": state,
        "run_dir": "/h/runs/r-0123456789ab",
        "attempt": 2,
        "created_at": 0.0,
        "step": 60,
        "steps": 60,
        "result": {"export": "/h/runs/r-0123456789ab/export"},
        **changed,
    }
    return RunRecord.model_validate(body)


def series() -> TrainingSeries:
    made = TrainingSeries()
    made.add(Event(kind="step", time=0, step=s, loss=6.0 - s / 12, tokens_per_s=2000) for s in range(12, 61, 12))
    made.add([Event(kind="checkpoint", time=0, step=50)])
    return made


APPROVAL = Approval(
    launch_hash=HASH, decision="approve", approver="ada", decided_at="2026-01-02T03:04:05+00:00", via="cli", reason="go"
)
FINDING = Finding(
    rule="FSDP001", slug="optimizer-before-shard", severity="error", file="a.py", line=4, message="made before", fix="x"
)


def test_the_report_of_a_run_holds_all_that_was_decided() -> None:
    story = Story(
        phase="done",
        thread_id="t-1",
        request=Request(text="train <b>this</b>", torch="2.13"),
        need=need(),
        plan=plan(),
        approval=APPROVAL,
        run=run(),
        series=series(),
    )
    text = render(story, "loss.png")
    for expected in (
        "> train \\<b\\>this\\</b\\>",
        "| `torch` | `2.13` |",
        "8.03 B x 16 = 128 GB",
        "12.50 GiB reserved (15 % error), in the backward phase",
        "| parameters | 4.00 GiB |",
        "| activations | 51.20 MiB |",
        "parameters: 4 P/N",
        "- no swap",
        "| `reduce_dtype=fp32` | small \\| gradients | `no-such-card` |",
        "- 2 ranks share 1 core",
        "No findings.",
        f"approve by ada at 2026-01-02T03:04:05+00:00 through cli, for launch `{HASH}`",
        "> go",
        "'/opt/a b/python' -m torch.distributed.run",
        f"- config: `/p/config.json` `{'d' * 64}`",
        "Run r-0123456789ab is done after 60/60 steps and 2 attempt(s).",
        "Loss: 5.0000 at the start, 1.0000 at the end",
        "2,000 tokens/s",
        "Newest checkpoints: step 50.",
        "`/h/runs/r-0123456789ab/export`",
        "![loss](loss.png)",
        "- `no-such-card`",
    ):
        assert expected in text, expected
    # the card behind the arithmetic is cited with its source
    [cited] = [line for line in text.splitlines() if line.startswith("- `model-state-bytes`: ")]
    assert "<https://" in cited
    assert "<b>" not in text


def test_sections_with_nothing_to_say_are_left_out() -> None:
    text = render(Story(phase="failed", thread_id="t-1", failure=Failure("request_invalid", "no such key", "mend it")))
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## What went wrong"]
    assert "mend it" in text


def test_a_diagnosis_shows_the_lines_that_prove_it() -> None:
    cause = Cause(
        cause="oom",
        confidence=0.9,
        summary="out of memory",
        fix="checkpoint activations",
        evidence=(Evidence(file="rank0.log", line=7, text="CUDA out of `memory`"),),
    )
    found = Diagnosis(verdict="diagnosed", causes=(cause,), ranks={"0": "killed"}, needed=("NCCL_DEBUG=INFO",))
    text = render(Story(phase="done", thread_id="t-1", diagnosis=found))
    assert "(90%): out of memory" in text
    assert "`rank0.log:7`: `` CUDA out of `memory` ``" in text
    assert "- rank 0: killed" in text
    assert "oom: out of memory checkpoint activations" in summarize(
        Story(phase="done", thread_id="t-1", diagnosis=found)
    )


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (
            Story(
                phase="needs_input",
                thread_id="t",
                need=need(missing=[MissingInput(code="data", question="Which data?")]),
            ),
            ["Which data?"],
        ),
        (
            Story(phase="not_advised", thread_id="t", need=need(verdict="not_needed", instead="Use LoRA.")),
            ["not_needed", "8.03 B x 16", "Use LoRA."],
        ),
        (Story(phase="declined", thread_id="t", approval=APPROVAL, plan=plan()), ["Rejected by ada"]),
        (
            Story(phase="done", thread_id="t", run=run(), series=series(), plan=plan()),
            ["is done after 60/60 steps", "5.0000 at the start, 1.0000 at the end", "/export"],
        ),
        (
            Story(
                phase="failed", thread_id="t", run=run("failed"), failure=Failure("run_failed", "it broke", "resume")
            ),
            ["run_failed", "it broke", "resume"],
        ),
        (Story(phase="done", thread_id="t", plan=plan()), ["2 ranks, 60 steps", "12.50 GiB", "nothing was started"]),
        (
            Story(phase="failed", thread_id="t", plan=plan(), findings=(FINDING,)),
            ["1 errors", "FSDP001 a.py:4: made before"],
        ),
        (
            Story(phase="done", thread_id="t", need=need(intent="review"), findings=(FINDING,)),
            ["1 errors, 0 warnings, 0 pieces of advice", "a.py:4"],
        ),
        (
            Story(
                phase="done",
                thread_id="t",
                answer=Answer(
                    covered=True,
                    answer="Yes, it does.",
                    citations=(Citation(card="a-card", claim="c", source="https://x.example", evidence="probed"),),
                    confidence=0.9,
                ),
            ),
            ["Yes, it does.", "[a-card] https://x.example"],
        ),
        (Story(phase="done", thread_id="t"), ["nothing to report"]),
    ],
)
def test_the_gist_of_each_end(story: Story, expected: list[str]) -> None:
    gist = summarize(story)
    for words in expected:
        assert words in gist


def test_the_gist_in_danish() -> None:
    gist = summarize(Story(phase="done", thread_id="t", need=need(language="da"), run=run(), series=series()))
    assert gist.startswith("Kørsel r-0123456789ab er færdig efter 60/60 trin og 2 forsøg.")
    assert "5,0000 ved start, 1,0000 ved slut" in gist


@pytest.mark.parametrize(
    ("state", "told"),
    [("failed", "fejlet"), ("cancelled", "annulleret"), ("lost", "tabt"), ("running", "i gang"), ("queued", "i kø")],
)
def test_a_state_is_told_in_the_language_of_the_thread(state: str, told: str) -> None:
    danish = Story(phase="failed", thread_id="t", need=need(language="da"), run=run(state))
    assert run_sentence(danish).startswith(f"Kørsel r-0123456789ab er {told} efter 60/60 trin")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Run r-0123456789ab is done after 1 attempt(s)."),
        ("da", "Kørsel r-0123456789ab er færdig efter 1 forsøg."),
    ],
)
def test_a_script_that_tells_of_no_steps_has_none(language: str, said: str) -> None:
    record = run(kind="script", step=None, steps=None, attempt=1, result={})
    assert run_sentence(Story(phase="done", thread_id="t", need=need(language=language), run=record)) == said


@pytest.mark.parametrize(("language", "ready"), [("en", "ready"), ("da", "klar")])
def test_what_the_review_stopped_is_not_said_to_be_ready(language: str, ready: str) -> None:
    made, asked = plan(), need(language=language)
    story = Story(phase="failed", thread_id="t", need=asked, plan=made, findings=(FINDING,))
    assert ready not in summarize(story).lower()
    assert ready not in "\n".join(plan_section(story)).lower()
    assert ready in summarize(Story(phase="done", thread_id="t", need=asked, plan=made)).lower()


def test_the_plan_of_a_script_is_said_not_to_be_judged() -> None:
    made = plan()
    assert made.launch is not None
    script = made.launch.model_copy(update={"kind": "script"})
    own = made.model_copy(update={"memory": None, "launch": script})
    text = "\n".join(plan_section(Story(phase="done", thread_id="t", need=need(), plan=own)))
    assert "not judged: a script of your own" in text
    assert "use_fsdp" not in text


def test_a_hand_over_is_told_with_its_starts_and_its_files() -> None:
    handover = {
        "reason": "the same error came again at the same place, step 7",
        "starts": [
            {"attempt": 1, "error": "a rank ran out of memory", "place": "step 7"},
            {"attempt": 2, "error": "a rank ran out of memory", "place": "before any step"},
        ],
        "evidence": [f"attempts/0002/diag/stack-{rank}.txt" for rank in range(15)],
    }
    told = Story(phase="failed", thread_id="t", run=run("failed", handover=handover))
    text = render(told)
    assert "Start 1 failed at step 7: `a rank ran out of memory`" in text
    assert "Start 2 failed before any step: " in text
    assert "Not started again: the same error came again at the same place, step 7" in text
    assert "`attempts/0002/diag/stack-11.txt` (+3)" in text
    assert "stack-12" not in text
    assert "Not started again" not in render(Story(phase="failed", thread_id="t", run=run("failed")))


def test_a_diagnosis_tells_what_happened_in_order() -> None:
    found = Diagnosis.model_validate(
        {
            "verdict": "diagnosed",
            "chain": [
                {"rank": "3", "role": "first", "text": "rank3.log:9: ValueError: bad sample"},
                {"role": "last", "text": "rank0.log:99: watchdog"},
            ],
            "hang": {"kind": "missing", "culprits": ["3"], "text": "rank 3 never came to ALLREDUCE 17"},
        }
    )
    text = render(Story(phase="done", thread_id="t", diagnosis=found), timeline="timeline.png")
    assert text.index("ValueError: bad sample") < text.index("watchdog")
    assert "first, rank 3" in text
    assert "never came to ALLREDUCE 17" in text
    assert "![timeline](timeline.png)" in text
