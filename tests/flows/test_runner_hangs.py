"""Hangs: found by the silence of a rank, written down before the end, and restarted."""

import json
import textwrap

import pytest

from contracts.launch import RestartPolicy, WatchLimits
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

PAIR = textwrap.dedent(
    """\
    # Two ranks without a launcher: each writes heartbeats; in the first start rank 1 falls silent at step 3.
    import faulthandler, json, os, pathlib, signal, socket, subprocess, sys, time

    run, attempt = pathlib.Path(os.environ["FSDP_RUN_DIR"]), int(os.environ["FSDP_ATTEMPT"])
    silent, phase, starts = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    deaf = sys.argv[4:]
    if {"ranks": "RANK" in os.environ, "all": True}.get("".join(deaf)):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "RANK" not in os.environ:
        ranks = [subprocess.Popen([sys.executable, *sys.argv], env=os.environ | {"RANK": str(r)}) for r in (0, 1)]
        codes = [rank.wait() for rank in ranks]
        if not any(codes):
            (run / "result.json").write_text(json.dumps({"status": "done", "steps": 6}))
        sys.exit(max(map(abs, codes)))
    rank = int(os.environ["RANK"])
    diag = run / "attempts" / f"{attempt:04d}" / "diag"
    diag.mkdir(exist_ok=True)
    stacks = open(diag / f"stack-{rank}.txt", "w")
    faulthandler.register(50, file=stacks, all_threads=True)

    def beat(step, name):
        fresh = run / "hb" / f".{rank}"
        fresh.write_text(json.dumps({"time": time.time(), "step": step, "phase": name}))
        fresh.rename(run / "hb" / f"{rank}.json")

    def wait_for_a_peer_that_never_comes():
        server = socket.create_server(("127.0.0.1", 0))
        server.accept()

    beat(0, "boot")
    for step in range(1, 7):
        time.sleep(0.6)
        beat(step, "step")
        if rank == silent and step == 3 and attempt <= starts:
            beat(step, phase)
            wait_for_a_peer_that_never_comes()
        while attempt <= starts and step == 6 and rank != silent:
            time.sleep(0.1)
            beat(step, "step")
    """
)
TIGHT = WatchLimits(boot_s=7.0, step_s=4.0, checkpoint_s=4.0, eval_s=4.0, factor=2.0)
ONCE = RestartPolicy(max_restarts=3, backoff_s=0.0)


def _entries(shop: JobShop, run_id: str, kind: str) -> list[dict]:
    return [entry for entry in shop.journal(run_id) if entry["kind"] == kind]


def test_a_silent_rank_is_found_shown_ended_and_the_run_goes_on(shop: JobShop) -> None:
    run = shop.submit(shop.launch(PAIR, "1", "step", "1", kind="train", watch=TIGHT, restart=ONCE))
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("done", 2)
    [hang] = _entries(shop, run.run_id, "hang")
    assert (hang["attempt"], hang["rank"], hang["phase"], hang["step"]) == (1, 1, "step", 3)
    assert hang["silent_s"] > hang["limit_s"] >= 4.0
    diag = shop.run_dir(run.run_id) / "attempts" / "0001" / "diag"
    assert sorted(hang["evidence"]) == sorted(path.name for path in diag.iterdir())
    # what the silent rank did, in its own words: the wait that it never came out of
    assert "wait_for_a_peer_that_never_comes" in (diag / "stack-1.txt").read_text()
    [state] = diag.glob("rank-1-*.proc.txt")
    assert "State:\tS (sleeping)" in state.read_text()
    assert any(
        line.startswith("rank-1-") and "127.0.0.1" in line and "LISTEN" in line
        for line in (diag / "sockets.txt").read_text().splitlines()
    )
    ages = json.loads((diag / "heartbeats.json").read_text())
    assert ages["1"]["age_s"] > ages["0"]["age_s"]
    assert [entry["step"] for entry in _entries(shop, run.run_id, "ending")] == ["asked", "term"]
    [restart] = _entries(shop, run.run_id, "restart")
    assert "a rank hung" in restart["reason"]


def test_a_hang_without_restarts_fails_and_names_the_rank(shop: JobShop) -> None:
    watch = TIGHT.model_copy(update={"boot_s": 5.0})
    run = shop.submit(shop.launch(PAIR, "0", "checkpoint", "9", kind="train", watch=watch))
    end = shop.wait(run.run_id)
    assert end.state == "failed"
    assert end.reason.startswith("hung: rank 0 gave no sign of life for ")
    assert "in phase checkpoint after step 3" in end.reason
    assert "attempts/0001/diag" in end.reason


@pytest.mark.parametrize("log_s", [None, 1.5])
def test_a_script_is_watched_by_its_logs_only_where_a_limit_says_so(shop: JobShop, log_s: float | None) -> None:
    watch = WatchLimits(boot_s=0.5, step_s=0.5, log_s=log_s)
    program = f"import time; print('begin', flush=True); time.sleep({2.5 if log_s is None else 60})"
    run = shop.submit(shop.launch(program, watch=watch))
    end = shop.wait(run.run_id)
    assert end.state == ("done" if log_s is None else "failed")
    assert ("wrote nothing into its logs" in end.reason) == (log_s is not None)


def test_a_rank_that_never_came_up_is_named_and_a_cancel_of_it_is_a_cancel(shop: JobShop) -> None:
    watch = TIGHT.model_copy(update={"boot_s": 1.5})
    slow_to_end = "lambda *_: (time.sleep(3), sys.exit(1))"
    program = f"import signal, sys, time; signal.signal(signal.SIGTERM, {slow_to_end}); time.sleep(600)"
    run = shop.submit(shop.launch(program, kind="train", watch=watch, restart=ONCE))
    [hang] = shop.until(lambda: _entries(shop, run.run_id, "hang"))
    assert (hang["rank"], hang["phase"], hang["step"]) == (0, "boot", None)
    shop.runner.cancel(run.run_id)
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("cancelled", 1)


def test_ranks_that_ignore_sigterm_are_killed_and_the_run_goes_on(shop: JobShop) -> None:
    run = shop.submit(shop.launch(PAIR, "1", "step", "1", "ranks", kind="train", watch=TIGHT, restart=ONCE))
    shop.until(lambda: _entries(shop, run.run_id, "hang"))
    first = {shop.rank_pid(run.run_id, rank) for rank in (0, 1)}
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("done", 2)
    [swept] = [entry["swept"] for entry in _entries(shop, run.run_id, "end") if entry["attempt"] == 1]
    assert swept >= 2  # the launcher obeyed at once and left them behind
    assert not first & set(shop.processes())


@pytest.mark.slow
def test_a_launcher_that_ignores_sigterm_as_well_is_killed_with_its_ranks(shop: JobShop) -> None:
    run = shop.submit(shop.launch(PAIR, "1", "step", "1", "all", kind="train", watch=TIGHT, restart=ONCE))
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("done", 2)
    assert [entry["step"] for entry in _entries(shop, run.run_id, "ending")] == ["asked", "term", "kill"]
    told = [(notice.kind, notice.message) for notice in shop.runner.notices(run.run_id)]
    assert [kind for kind, _ in told] == ["hang", "ending", "ending", "restart"]
    assert told[2] == ("ending", "did not end: killed (SIGKILL)")
