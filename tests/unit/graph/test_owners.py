"""Whose thread it is."""

from pathlib import Path

import pytest

from contracts.errors import InputError, UnknownRun
from graph.callers import LOCAL, Caller
from graph.owners import Owners
from runners import Home

ADA = Caller(name="ada", right="submit")
BOB = Caller(name="bob", right="submit")
CHIEF = Caller(name="chief", right="approve")


@pytest.fixture
def owners(tmp_path: Path) -> Owners:
    return Owners(Home(tmp_path))


def test_one_key_is_one_thread_for_each_caller(owners: Owners) -> None:
    assert owners.thread_id(ADA, "k") == owners.thread_id(ADA, "k")
    assert len({owners.thread_id(who, key) for who in (ADA, BOB) for key in ("k", "l")}) == 4
    # a name and a key are not run together
    assert owners.thread_id(Caller(name="a", right="submit"), "bc") != owners.thread_id(
        Caller(name="ab", right="submit"), "c"
    )


def test_a_thread_is_its_first_claimants(owners: Owners) -> None:
    owners.claim("t-1", ADA)
    owners.claim("t-1", ADA)
    with pytest.raises(InputError, match="no thread"):
        owners.claim("t-1", BOB)
    assert owners.owner("t-1") == "ada"


def test_others_threads_and_runs_do_not_exist_for_a_caller(owners: Owners) -> None:
    owners.claim("t-1", ADA)
    owners.require_thread(ADA, "t-1")
    owners.require_thread(CHIEF, "t-1")
    owners.require_run(CHIEF, "r-1", "t-1")
    with pytest.raises(InputError) as hidden:
        owners.require_thread(BOB, "t-1")
    with pytest.raises(InputError) as absent:
        owners.require_thread(BOB, "t-2")
    assert str(hidden.value).replace("t-1", "t-2") == str(absent.value)
    with pytest.raises(UnknownRun):
        owners.require_run(BOB, "r-1", "t-1")


def test_what_no_door_began_is_the_local_users(owners: Owners) -> None:
    owners.require_thread(LOCAL, "t-of-the-command-line")
    owners.require_run(LOCAL, "r-1", None)
    with pytest.raises(UnknownRun):
        owners.require_run(ADA, "r-1", None)
