"""The ranks' timeline: progress, first trouble, exits, waits, who was first, and the chain of events."""

from pathlib import Path

from contracts.diagnosis import Diagnosis
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.reading import read_paths, read_text

WATCHDOG = (
    "[rank{0}]:[E1130 10:20:0{0}.000000000 ProcessGroupNCCL.cpp:616] [Rank {0}] Watchdog caught collective operation"
    " timeout: WorkNCCL(SeqNum=812, OpType=_ALLGATHER_BASE, NumelIn=4096, NumelOut=32768, Timeout(ms)=600000) ran for"
    " 600012 milliseconds before timing out."
)
JOB = "\n".join(
    [
        "[rank0]: 2026-11-30 10:00:00,000 INFO step 810 loss 2.1",
        "[rank1]: 2026-11-30 10:00:00,100 INFO step 810 loss 2.1",
        "[rank2]: 2026-11-30 10:00:00,200 INFO step 810 loss 2.1",
        WATCHDOG.format(0),
        "[rank2]: 2026-11-30 10:10:03,000 ERROR torch.OutOfMemoryError: CUDA out of memory.",
        WATCHDOG.format(1),
        "E1130 10:20:09.000000 77 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6)"
        " local_rank: 0 (pid: 101) of binary: /usr/bin/python3",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        "Root Cause (first observed failure):",
        "  rank      : 2 (local_rank: 2)",
        "  exitcode  : 1 (pid: 103)",
    ]
)


def of(text: str) -> Diagnosis:
    return diagnose_text(read_text(text, "job.log"))


def test_each_rank_has_its_last_progress_first_trouble_exit_and_wait() -> None:
    states = {state.rank: state for state in of(JOB).rank_states}
    assert set(states) == {"0", "1", "2"}
    assert states["0"].waits_in == "_ALLGATHER_BASE #812 [4096 elements]"
    assert states["0"].exit == "signal 6 (SIGABRT)"
    assert states["2"].exit == "exit code 1"
    assert states["2"].waits_in is None
    assert states["2"].first_abnormal is not None
    assert states["2"].first_abnormal.startswith("job.log:5, rank 2: ")
    assert all(state.last_progress is not None and "step 810" in state.last_progress for state in states.values())
    assert states["2"].first_abnormal_at is not None
    assert states["2"].last_progress_at is not None
    # 10:10:03.000 - 10:00:00.200
    assert round(states["2"].first_abnormal_at - states["2"].last_progress_at, 3) == 602.8


def test_the_chain_begins_with_the_rank_that_failed_by_itself_and_follows_the_clock() -> None:
    found = of(JOB)
    assert found.first_diverged == "2"
    assert [link.rank for link in found.chain[:3]] == ["2", "0", "1"]
    assert [link.role for link in found.chain[:3]] == ["first", "consequence", "consequence"]
    assert found.chain[-1].role == "last"
    times = [link.at for link in found.chain if link.at is not None]
    assert times == sorted(times)
    assert found.first_failure is not None
    assert "OutOfMemoryError" in found.first_failure


def test_the_clock_decides_and_not_the_order_of_the_files(tmp_path: Path) -> None:
    for rank, minute, text in ((0, 30, "KeyError: 'late'"), (1, 10, "ValueError: early")):
        place = tmp_path / "attempt_0" / str(rank)
        place.mkdir(parents=True)
        (place / "stderr.log").write_text(f"2026-11-30 10:00:00 step 1\n2026-11-30 10:{minute}:00 ERROR {text}\n")
    found = diagnose_text(read_paths([str(tmp_path)]))
    assert found.first_failure is not None
    assert "ValueError: early" in found.first_failure
    assert found.first_diverged == "1"


def test_a_traceback_without_stamps_has_the_time_of_the_line_before_it() -> None:
    found = of(
        "[rank3]: 2026-11-30 10:00:05 step 7\n[rank3]: Traceback (most recent call last):\n[rank3]: KeyError: 'x'"
    )
    (state,) = found.rank_states
    assert state.first_abnormal_at == state.last_progress_at
    assert state.first_abnormal_at is not None


def test_the_rank_that_is_behind_is_found_by_the_counts_of_the_watchdogs() -> None:
    counts = {0: (21937, 21936), 1: (21936, 21936), 2: (21937, 21936)}
    lines = [
        f"[rank{rank}]:[E] [PG ID 0 PG GUID 0 Rank {rank}] Timeout at NCCL work: last enqueued NCCL work: {issued},"
        f" last completed NCCL work: {done}."
        for rank, (issued, done) in counts.items()
    ]
    assert of("\n".join(lines)).first_diverged == "1"


def test_the_one_rank_that_no_watchdog_speaks_for_is_apart() -> None:
    lines = [WATCHDOG.format(rank) for rank in (0, 1, 2)] + ["[rank3]: step 811 loss 2.0"]
    assert of("\n".join(lines)).first_diverged == "3"


def test_what_torch_found_to_differ_is_told_for_both_ranks() -> None:
    line = (
        "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: "
        "CollectiveFingerPrint(SequenceNumber=5, OpType=ALLREDUCE, TensorShape=[4, 8]), but Rank 1 is running"
        " collective: "
        "CollectiveFingerPrint(SequenceNumber=5, OpType=BROADCAST, TensorShape=[2])."
    )
    found = of("[rank0]: " + line + "\n[rank1]: step 1")
    waits = {state.rank: state.waits_in for state in found.rank_states}
    assert waits == {"0": "ALLREDUCE #5 [4, 8]", "1": "BROADCAST #5 [2]"}


def test_slurm_and_the_kernel_tell_of_ends() -> None:
    found = of(
        "srun: error: node7: tasks 4-6: Killed\n"
        "Nov 30 10:00:00 node7 kernel: Out of memory: Killed process 811 (python)"
    )
    assert [(state.rank, state.exit) for state in found.rank_states] == [
        ("4", "Killed"),
        ("5", "Killed"),
        ("6", "Killed"),
    ]
    assert found.first_failure is not None
    assert "Killed" in found.first_failure


def test_the_first_trouble_in_the_middle_of_a_large_log_knows_what_was_before_it(tmp_path: Path) -> None:
    lines = [
        f"[rank{n % 4}]: 2026-11-30 10:{n // 3600 % 60:02d}:{n // 60 % 60:02d} step {n // 4}" for n in range(60_000)
    ]
    lines[40_001] = "[rank1]: ValueError: planted"
    (tmp_path / "job.log").write_text("\n".join(lines))
    found = diagnose_text(read_paths([str(tmp_path / "job.log")]))
    state = next(state for state in found.rank_states if state.rank == "1")
    assert state.first_abnormal is not None
    assert "job.log:40002, rank 1: ValueError: planted" in state.first_abnormal
    assert state.last_progress is not None
    assert state.last_progress.endswith(f"step {39_997 // 4}")
