"""What every runner backend must do, whatever it runs on."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from contracts.errors import (
    ApprovalForged,
    ApprovalMissing,
    ContentChanged,
    KeyConflict,
    NotAllowed,
    UnknownRun,
    WrongState,
)
from contracts.launch import LaunchResources
from contracts.run import TERMINAL_STATES, RunRecord
from tests.job_shop import RANKS_SPEAK

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

UNKNOWN = "r-0123456789ab"


def _run_folders(backend: Backend) -> list[RunRecord]:
    return list(backend.runner.runs())


class TestSubmit:
    def test_a_run_goes_from_submitted_to_done(self, backend: Backend) -> None:
        launch = backend.trainer(3, 0.01)
        first = backend.start(launch)
        assert first.launch_hash == launch.launch_hash
        assert first.key == "key"
        end = backend.wait(first.run_id)
        assert (end.state, end.exit_code, end.attempt, end.step) == ("done", 0, 1, 3)
        assert end.loss == pytest.approx(1 / 4)
        assert end.ended_at is not None
        assert end.ended_at >= end.created_at
        assert end.result["status"] == "done"

    def test_the_same_key_and_launch_return_the_run_that_exists(self, backend: Backend) -> None:
        launch = backend.trainer(3, 0.01)
        first = backend.start(launch)
        again = backend.start(launch)
        assert again.run_id == first.run_id
        backend.wait(first.run_id)
        after = backend.start(launch)
        assert (after.run_id, after.state, after.attempt) == (first.run_id, "done", 1)
        assert len(_run_folders(backend)) == 1

    def test_another_launch_under_the_key_is_refused(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(2, 0.01))
        with pytest.raises(KeyConflict, match=run.run_id):
            backend.start(backend.trainer(3, 0.01))
        assert backend.wait(run.run_id).step == 2

    def test_the_same_launch_under_two_keys_is_two_runs(self, backend: Backend) -> None:
        launch = backend.trainer(2, 0.01)
        one, two = backend.start(launch, "one"), backend.start(launch, "two")
        assert one.run_id != two.run_id
        assert backend.wait(one.run_id).state == backend.wait(two.run_id).state == "done"
        assert [run.key for run in _run_folders(backend)] == ["two", "one"]  # the newest first

    def test_six_racing_submits_start_one_job(self, backend: Backend) -> None:
        launch = backend.trainer(5, 0.05)
        seen: list[RunRecord] = []
        threads = [threading.Thread(target=lambda: seen.append(backend.start(launch))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({run.run_id for run in seen}) == 1
        assert len(seen) == 6
        assert backend.wait(seen[0].run_id).attempt == 1
        steps = [event.step for event in backend.runner.events(seen[0].run_id).events if event.kind == "step"]
        assert steps == [1, 2, 3, 4, 5]


class TestApproval:
    def test_none(self, backend: Backend) -> None:
        with pytest.raises(ApprovalMissing):
            backend.runner.submit(backend.trainer(2), None, "key")  # type: ignore[arg-type]
        assert not _run_folders(backend)

    @pytest.mark.parametrize("field", ["approver", "decided_at", "reason", "mac"])
    def test_forged(self, backend: Backend, field: str) -> None:
        launch = backend.trainer(2)
        forged = backend.approve(launch).model_copy(update={field: "0" * 64})
        with pytest.raises(ApprovalForged):
            backend.runner.submit(launch, forged, "key")
        assert not _run_folders(backend)

    def test_a_rejection_turned_into_an_approval(self, backend: Backend) -> None:
        launch = backend.trainer(2)
        forged = backend.approve(launch, decision="reject").model_copy(update={"decision": "approve"})
        with pytest.raises(ApprovalForged):
            backend.runner.submit(launch, forged, "key")

    def test_rejecting(self, backend: Backend) -> None:
        launch = backend.trainer(2)
        with pytest.raises(NotAllowed, match="rejected by tester: too dear"):
            backend.runner.submit(launch, backend.approve(launch, decision="reject", reason="too dear"), "key")
        assert not _run_folders(backend)

    def test_of_another_launch(self, backend: Backend) -> None:
        with pytest.raises(ContentChanged):
            backend.runner.submit(backend.trainer(3), backend.approve(backend.trainer(2)), "key")
        assert not _run_folders(backend)

    @pytest.mark.parametrize("role", ["script", "config", "data_manifest"])
    @pytest.mark.parametrize("change", ["byte", "longer", "missing"])
    def test_an_input_changed_after_the_approval(self, backend: Backend, role: str, change: str) -> None:
        launch = backend.trainer(2)
        approval = backend.approve(launch)
        path = _change(launch, role, change)
        with pytest.raises(ContentChanged, match=path.name):
            backend.runner.submit(launch, approval, "key")
        assert not _run_folders(backend)

    def test_the_launch_changed_by_one_character(self, backend: Backend) -> None:
        launch = backend.trainer(2)
        changed = launch.model_copy(update={"argv": (*launch.argv[:-1], launch.argv[-1] + "1")})
        with pytest.raises(ContentChanged):
            backend.runner.submit(changed, backend.approve(launch), "key")
        assert not _run_folders(backend)


def _change(launch: object, role: str, change: str) -> Path:
    path = next(Path(entry.path) for entry in launch.inputs if entry.role == role)  # type: ignore[attr-defined]
    content = path.read_bytes()
    if change == "missing":
        path.unlink()
    else:
        path.write_bytes(content + b" " if change == "longer" else bytes([content[0] ^ 1]) + content[1:])
    return path


class TestFollowing:
    def test_events_come_in_order_and_once(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(6, 0.05))
        cursor, seen = 0, []
        while backend.runner.status(run.run_id).state not in TERMINAL_STATES:
            page = backend.runner.events(run.run_id, cursor, 2)
            assert len(page.events) <= 2
            seen += page.events
            cursor = page.cursor
        seen += backend.runner.events(run.run_id, cursor).events
        assert [event.step for event in seen if event.kind == "step"] == [1, 2, 3, 4, 5, 6]

    def test_a_run_that_works_is_running(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(1000, 0.02))
        backend.until_step(run.run_id, 2)
        record = backend.runner.status(run.run_id)
        assert (record.state, record.ended_at, record.exit_code) == ("running", None, None)
        backend.runner.cancel(run.run_id)
        backend.wait(run.run_id)

    def test_logs_are_cleaned(self, backend: Backend) -> None:
        program = r"print('\x1b[31mred\x1b[0m \x1b]0;title\x07plain\x07'); print('second')"
        run = backend.start(backend.program(program))
        backend.wait(run.run_id)
        log = backend.runner.logs(run.run_id)
        assert "red plain\n" in log
        assert "\x1b" not in log
        assert "red" not in backend.runner.logs(run.run_id, tail_lines=1)
        assert "second" in backend.runner.logs(run.run_id, tail_lines=1)

    def test_a_job_that_fails_says_why(self, backend: Backend) -> None:
        run = backend.start(backend.program("raise RuntimeError('the data is upside down')"))
        end = backend.wait(run.run_id)
        assert (end.state, end.exit_code) == ("failed", 1)
        assert "the data is upside down" in end.reason

    def test_a_crash(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(1000, 0.02))
        backend.until_step(run.run_id, 1)
        backend.crash(run.run_id)
        end = backend.wait(run.run_id)
        assert end.state == "failed"
        assert "SIGKILL" in end.reason

    @pytest.mark.train
    def test_logs_name_the_ranks(self, backend: Backend) -> None:
        run = backend.start(backend.program(RANKS_SPEAK, ranks=2))
        assert backend.wait(run.run_id).state == "done"
        log = backend.runner.logs(run.run_id)
        assert "[rank 0] hello from 0\n" in log
        assert "[rank 1] hello from 1\n" in log
        assert backend.runner.logs(run.run_id, rank=1) == "hello from 1\n"
        assert backend.runner.logs(run.run_id, rank=7) == ""


class TestQueueing:
    def test_what_there_is_no_room_for_waits_and_starts_in_order(self, backend: Backend) -> None:
        backend.give(cores=2)
        wide = LaunchResources(nodes=1, ranks_per_node=1, device="cpu", cores_per_node=2)
        first = backend.start(backend.trainer(1000, 0.02, resources=wide), "first")
        backend.until_step(first.run_id, 1)
        others = [backend.start(backend.trainer(2, 0.01, resources=wide), key) for key in ("second", "third")]
        for run in others:
            assert backend.wait(run.run_id, "queued").attempt == 0
            assert backend.runner.events(run.run_id).events == ()
        backend.until_told(others[0].run_id, backend.waits_for)
        assert [run.state for run in backend.runner.runs()] == ["queued", "queued", "running"]
        again = backend.start(backend.trainer(2, 0.01, resources=wide), "second")
        assert (again.run_id, again.state) == (others[0].run_id, "queued")
        backend.runner.cancel(first.run_id)
        ends = [backend.wait(run.run_id) for run in others]
        assert [(end.state, end.attempt, end.reason) for end in ends] == [("done", 1, "")] * 2
        began = [backend.runner.events(run.run_id).events[0].time for run in others]
        assert began[0] < began[1]

    def test_cancel_while_it_is_queued(self, backend: Backend) -> None:
        backend.give(cores=1)
        first = backend.start(backend.trainer(1000, 0.02), "first")
        second = backend.start(backend.trainer(2, 0.01), "second")
        backend.wait(second.run_id, "queued")
        backend.runner.cancel(second.run_id)
        end = backend.wait(second.run_id)
        assert (end.state, end.step) == ("cancelled", None)
        assert backend.runner.cancel(second.run_id) == end
        backend.runner.cancel(first.run_id)
        assert backend.wait(first.run_id).state == "cancelled"
        assert backend.runner.events(second.run_id).events == ()

    def test_a_resume_waits_for_its_turn_too(self, backend: Backend) -> None:
        backend.give(cores=1)
        first = backend.start(backend.trainer(60, 0.05), "first")
        backend.until_step(first.run_id, 2)
        backend.crash(first.run_id)
        backend.wait(first.run_id)
        second = backend.start(backend.trainer(1000, 0.02), "second")
        backend.until_step(second.run_id, 1)
        backend.runner.resume(first.run_id)
        assert backend.wait(first.run_id, "queued").attempt == 1
        with pytest.raises(WrongState, match="queued"):
            backend.runner.resume(first.run_id)
        backend.runner.cancel(second.run_id)
        end = backend.wait(first.run_id)
        assert (end.state, end.attempt, end.step) == ("done", 2, 60)


class TestCancel:
    def test_at_once_after_submit(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(1000, 0.02))
        assert backend.runner.cancel(run.run_id).state in ("stopping", "cancelled")
        assert backend.wait(run.run_id).state == "cancelled"

    def test_while_it_runs_lets_it_save(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(1000, 0.02))
        backend.until_step(run.run_id, 3)
        backend.runner.cancel(run.run_id)
        backend.runner.cancel(run.run_id)  # a second request changes nothing
        end = backend.wait(run.run_id)
        assert (end.state, end.result["status"]) == ("cancelled", "stopped")
        assert f"step {end.result['steps']}" in end.reason

    def test_after_the_end_changes_nothing(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(1, 0.0))
        end = backend.wait(run.run_id)
        assert backend.runner.cancel(run.run_id) == end
        assert backend.runner.status(run.run_id) == end


class TestResume:
    def test_goes_on_from_the_checkpoint(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(60, 0.05))
        backend.until_step(run.run_id, 3)
        backend.crash(run.run_id)
        backend.wait(run.run_id)
        again = backend.runner.resume(run.run_id)
        assert again.run_id == run.run_id
        assert again.state not in TERMINAL_STATES
        end = backend.wait(run.run_id)
        assert (end.state, end.attempt, end.step) == ("done", 2, 60)
        events = backend.runner.events(run.run_id).events
        resumed = [event for event in events if event.kind == "resume"]
        assert [event.attempt for event in resumed] == [2]
        assert (resumed[0].step or 0) >= 2

    def test_a_cancelled_run_can_go_on(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(60, 0.05))
        backend.until_step(run.run_id, 2)
        backend.runner.cancel(run.run_id)
        assert backend.wait(run.run_id).state == "cancelled"
        backend.runner.resume(run.run_id)
        assert backend.wait(run.run_id).state == "done"

    def test_of_a_run_that_runs(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(1000, 0.02))
        with pytest.raises(WrongState):
            backend.runner.resume(run.run_id)
        backend.runner.cancel(run.run_id)
        backend.wait(run.run_id)

    def test_of_a_run_that_is_done(self, backend: Backend) -> None:
        run = backend.start(backend.trainer(1, 0.0))
        backend.wait(run.run_id)
        with pytest.raises(WrongState, match="finished"):
            backend.runner.resume(run.run_id)

    def test_after_the_script_changed(self, backend: Backend) -> None:
        launch = backend.trainer(1000, 0.02)
        run = backend.start(launch)
        backend.until_step(run.run_id, 1)
        backend.crash(run.run_id)
        before = backend.wait(run.run_id)
        path = _change(launch, "script", "byte")
        with pytest.raises(ContentChanged, match=path.name):
            backend.runner.resume(run.run_id)
        assert backend.runner.status(run.run_id) == before


class TestUnknown:
    @pytest.mark.parametrize("run_id", [UNKNOWN, "", ".", "../../etc", "r-0123456789ab/..", "r-\x00"])
    @pytest.mark.parametrize("verb", ["status", "events", "logs", "cancel", "resume"])
    def test_run(self, backend: Backend, verb: str, run_id: str) -> None:
        with pytest.raises(UnknownRun):
            getattr(backend.runner, verb)(run_id)

    def test_a_foreign_folder_is_no_run(self, backend: Backend) -> None:
        backend.plant_foreign(UNKNOWN)
        with pytest.raises(UnknownRun):
            backend.runner.status(UNKNOWN)
        assert not _run_folders(backend)
