"""Watchdogs that name different collectives at one number, kills, and logs of runs that ended well."""

import pytest

from contracts.diagnosis import Diagnosis
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.reading import read_text
from engines.diagnosis.telling import text_lines


def given(text: str) -> Diagnosis:
    return diagnose_text(read_text(text, "log"))


def watchdog(rank: int, operation: str, sequence: int = 77) -> str:
    return (
        f"[rank{rank}]:[E0711 05:00:0{rank}.000 ProcessGroupNCCL.cpp:685] [Rank {rank}] Watchdog caught collective"
        f" operation timeout: WorkNCCL(SeqNum={sequence}, OpType={operation}, NumelIn=8, NumelOut=8,"
        " Timeout(ms)=600000) ran for 600020 milliseconds before timing out."
    )


@pytest.mark.parametrize("apart", [0, 3])
def test_another_collective_at_the_same_number_is_the_cause_and_its_rank_is_named(apart: int) -> None:
    lines = [watchdog(rank, "BROADCAST" if rank == apart else "_REDUCE_SCATTER_BASE") for rank in range(4)]
    found = given("\n".join(lines))
    assert (found.verdict, found.causes[0].cause) == ("diagnosed", "collective-order-mismatch")
    assert found.first_diverged == str(apart)
    assert f"rank {apart} is in BROADCAST #77" in found.causes[0].evidence[0].text


def test_the_same_collective_on_all_ranks_is_no_mismatch() -> None:
    found = given("\n".join(watchdog(rank, "_ALLGATHER_BASE") for rank in range(4)))
    assert found.verdict == "unknown"


def test_the_default_group_has_no_time_out_that_was_set_on_another() -> None:
    line = "[rank1]:[E0711 05:00:01.000 ProcessGroupNCCL.cpp:2252] [PG ID 0 PG GUID 0(default_pg) Rank 1]  failure"
    found = given(watchdog(1, "_ALLGATHER_BASE") + "\n" + line + " detected by watchdog at work sequence id: 77")
    assert "timeout-set-on-other-pg" not in {cause.cause for cause in found.causes[:1]}


def test_the_scheduler_s_reason_and_a_resume_are_in_the_fix() -> None:
    found = given("slurmstepd: error: *** STEP 8.extern ON b12 CANCELLED AT 2026-05-05T05:05:05 DUE TO PREEMPTION ***")
    assert found.causes[0].cause == "ended-by-signal"
    assert "PREEMPTION" in found.causes[0].fix
    assert "Resume" in found.causes[0].fix


@pytest.mark.parametrize(
    "text", ["step 90/90 loss 1.1\nTraining completed in 52 min", "iter 7 loss 3\nfinished training, wrote model"]
)
def test_a_run_that_ended_well_has_no_cause(text: str) -> None:
    found = given(text)
    assert found.verdict == "no_failure"
    assert found.remark is not None
    assert not found.causes


@pytest.mark.parametrize(
    "text",
    ["step 90/90 loss nan\nTraining completed", "step 3 loss 2\nTraining finished, but the model answers nonsense"],
)
def test_a_run_that_ended_with_trouble_did_not_end_well(text: str) -> None:
    assert given(text).verdict != "no_failure"


def test_what_is_needed_comes_before_causes_and_hardly_possible_ones_are_not_told() -> None:
    found = given("the training failed somehow in step 3 after the new cluster")
    lines = list(text_lines(found))
    assert found.verdict == "unknown"
    causes = [line for line in lines if line[:1].isdigit()]
    assert len(causes) == sum(cause.confidence >= 0.1 for cause in found.causes)
    needed = [number for number, line in enumerate(lines) if line.startswith("needed: ")]
    assert needed
    assert not causes or max(needed) < lines.index(causes[0])


def test_a_kill_without_a_word_is_sooner_over_memory_than_a_scheduler_s_signal() -> None:
    block = "traceback : Signal 9 (SIGKILL) received by PID 3101"
    named = [cause.cause for cause in given(f"tune.py FAILED\n  exitcode  : -9 (pid: 3101)\n  {block}").causes]
    assert named.index("host-memory-limit-reached") < (
        named.index("ended-by-signal") if "ended-by-signal" in named else len(named)
    )
