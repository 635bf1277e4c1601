"""The rules of the queue, on a ledger with living and dead holders."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runners.capacity import Capacity, Demand
from runners.home import Home
from runners.process import MARKER_VARIABLE, Identity, identity
from runners.slots import Claim, Slots

MACHINE = Capacity(8, ("0", "1", "2", "3"))


def me() -> Identity:
    found = identity(os.getpid())
    assert found is not None
    return found


def claim(number: int, cores: int = 1, gpus: int = 0, since: float | None = None, **facts: object) -> Claim:
    known = {
        "run_id": f"r-{number:012x}",
        "since": float(number) if since is None else since,
        "marker": f"marker-{number}",
        "supervisor": me(),
        "demand": Demand(cores, gpus),
    }
    return Claim(**(known | facts))  # type: ignore[arg-type]


@pytest.fixture
def slots(tmp_path: Path) -> Slots:
    return Slots(Home(tmp_path))


def test_what_is_given_is_held_until_it_is_given_back(slots: Slots) -> None:
    assert slots.ask(claim(1, cores=5), MACHINE).claim is not None
    room = slots.ask(claim(2, cores=4), MACHINE)
    assert room.claim is None
    assert room.words == "waits for 4 of 8 cores (3 free); held by r-000000000001"
    slots.give_back("r-000000000001")
    given = slots.ask(claim(2, cores=4), MACHINE).claim
    assert given is not None
    assert given.holds
    assert slots.claim_of("r-000000000002") == given


def test_asking_again_takes_nothing_more(slots: Slots) -> None:
    for _ in range(3):
        assert slots.ask(claim(1, cores=8, gpus=4), MACHINE).claim is not None


def test_gpus_are_given_once_and_in_order(slots: Slots) -> None:
    one, two = slots.ask(claim(1, gpus=1), MACHINE).claim, slots.ask(claim(2, gpus=3), MACHINE).claim
    assert one is not None
    assert two is not None
    assert (one.gpus, two.gpus) == (("0",), ("1", "2", "3"))
    assert slots.ask(claim(3, gpus=1), MACHINE).words.startswith("waits for 1 of 4 GPUs (0 free)")
    slots.give_back(two.run_id)
    three = slots.ask(claim(3, gpus=1), MACHINE).claim
    assert three is not None
    assert three.gpus == ("1",)


def test_first_come_first_served_whoever_asks_first(slots: Slots) -> None:
    slots.ask(claim(1, cores=8), MACHINE)
    assert slots.ask(claim(2, cores=8), MACHINE).claim is None
    assert slots.ask(claim(3, cores=1), MACHINE).claim is None
    slots.give_back("r-000000000001")
    # the third looks first, but the second was there before it
    assert slots.ask(claim(3, cores=1), MACHINE).claim is None
    assert slots.ask(claim(2, cores=8), MACHINE).claim is not None


def test_a_run_that_needs_nothing_of_what_is_scarce_is_not_held_up(slots: Slots) -> None:
    slots.ask(claim(1, cores=1, gpus=4), MACHINE)
    assert slots.ask(claim(2, cores=2, gpus=2), MACHINE).claim is None
    # 7 cores are free and 2 of them are the waiting one's: 5 can go to others, 6 cannot
    assert slots.ask(claim(3, cores=6), MACHINE).claim is None
    slots.give_back("r-000000000003")
    assert slots.ask(claim(4, cores=5), MACHINE).claim is not None
    assert slots.ask(claim(5, cores=0), MACHINE).claim is not None


def test_what_the_machine_does_not_have_is_never_waited_for(slots: Slots) -> None:
    room = slots.ask(claim(1, gpus=5), MACHINE)
    assert (room.claim, room.never) == (None, True)
    assert room.words == "it takes 5 GPUs, and this machine gives 4"
    narrow = claim(2, demand=Demand(1, 2, ("3", "9")))
    assert slots.ask(narrow, MACHINE).words.endswith("gives 1 of those that CUDA_VISIBLE_DEVICES=3,9 leaves")


def test_more_cores_than_there_are_is_all_of_them(slots: Slots) -> None:
    assert slots.ask(claim(1, cores=64), MACHINE).claim is not None
    assert slots.ask(claim(2, cores=1), MACHINE).words.startswith("waits for 1 of 8 cores (0 free)")


def test_a_uuid_and_an_index_name_one_device(slots: Slots) -> None:
    machine = Capacity(8, ("0", "1"), ("GPU-aaaa", "GPU-bbbb"))
    one = slots.ask(claim(1, demand=Demand(1, 1, ("GPU-bb",))), machine).claim
    two = slots.ask(claim(2, gpus=1), machine).claim
    assert one is not None
    assert two is not None
    assert (one.gpus, two.gpus) == (("GPU-bb",), ("0",))
    assert slots.ask(claim(3, gpus=1), machine).claim is None


@pytest.fixture
def dead() -> Identity:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    found = identity(process.pid)
    assert found is not None
    process.communicate()
    return found


@pytest.fixture
def marked() -> Iterator[str]:
    environment = {**os.environ, MARKER_VARIABLE: "marker-1"}
    process = subprocess.Popen(
        [sys.executable, "-c", "print(); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield "marker-1"
    process.communicate()


def test_a_dead_holder_loses_what_it_held_and_a_dead_waiter_its_place(slots: Slots, dead: Identity) -> None:
    slots.keep(claim(1, cores=8, supervisor=dead))
    slots.ask(claim(2, cores=8, supervisor=dead), MACHINE)
    assert slots.ask(claim(3, cores=8), MACHINE).claim is not None
    assert slots.claim_of("r-000000000001") is None


def test_a_job_that_lives_on_without_its_supervisor_still_holds(slots: Slots, dead: Identity, marked: str) -> None:
    slots.keep(claim(1, cores=8, supervisor=dead, marker=marked))
    assert slots.ask(claim(2, cores=1), MACHINE).claim is None


def test_a_pid_that_was_reused_is_not_the_holder(slots: Slots) -> None:
    slots.keep(claim(1, cores=8, supervisor=me()._replace(started=me().started + 1)))
    assert slots.ask(claim(2, cores=1), MACHINE).claim is not None


def test_after_a_reboot_nothing_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Slots(Home(tmp_path)).keep(claim(1, cores=8))
    monkeypatch.setattr("runners.slots.boot_id", lambda: "another-boot")
    assert Slots(Home(tmp_path)).ask(claim(2, cores=8), MACHINE).claim is not None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"since": "x"}', "\0" * 10])
def test_a_file_that_is_no_claim_holds_nothing(slots: Slots, content: str) -> None:
    slots.keep(claim(1))
    (slots.folder / "r-000000000009.json").write_text(content)
    (slots.folder / "notes.txt").write_text("nobody's")
    assert slots.ask(claim(2, cores=7), MACHINE).claim is not None


def test_the_ledger_changes_when_and_only_when_it_is_written(slots: Slots) -> None:
    assert slots.changed_ns() == 0
    slots.ask(claim(1, cores=8), MACHINE)
    slots.ask(claim(2, cores=1), MACHINE)
    before = slots.changed_ns()
    slots.ask(claim(2, cores=1), MACHINE)
    assert slots.changed_ns() == before
    slots.give_back("r-000000000001")
    assert slots.changed_ns() > before
