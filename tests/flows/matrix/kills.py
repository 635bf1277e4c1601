"""Kills, signals and hangs."""

import signal
from collections.abc import Callable

from tests.flows.matrix.case import Case

EVERYONE = ("supervisor", "shim", "torchrun", "rank 0", "rank 1")


def kill(*names: str) -> Callable[[Case], None]:
    """SIGKILL; who is left goes on."""

    def do(case: Case) -> None:
        case.kill(*names)
        case.go_on()

    return do


def kill_then_adopt(*names: str) -> Callable[[Case], None]:
    """SIGKILL; a new supervisor adopts what is left before it goes on."""

    def do(case: Case) -> None:
        case.kill(*names)
        case.adopt()
        case.go_on()

    return do


def kill_adopt_kill(case: Case) -> None:
    case.kill("supervisor", "shim")
    case.adopt()
    case.kill("rank 1")


def kill_all(case: Case) -> None:
    case.kill(*EVERYONE)


def tell(name: str, *names: str) -> Callable[[Case], None]:
    """A signal that asks to end; whoever did not hear it goes on."""
    number = signal.Signals[name]

    def do(case: Case) -> None:
        asked = {"torchrun", "supervisor"} & set(names)
        case.send(number, *names)
        if asked or "rank 1" in names:
            # only after it was heard: a job that goes on at once might be done before
            case.shop.until(lambda: not case.is_held(1))
        case.go_on()

    return do


def freeze(name: str) -> Callable[[Case], None]:
    """SIGSTOP: a process that hears nothing but SIGKILL."""

    def do(case: Case) -> None:
        [pid] = case.send(signal.SIGSTOP, name)
        case.go_on()
        until_found(case)
        case.shop.until(lambda: pid not in case.shop.processes())
        assert [entry["step"] for entry in case.entries("ending")] == ["asked", "term", "kill"]

    return do


def hang_asleep(case: Case) -> None:
    until_found(case)
    diag = case.folder / "attempts" / "0001" / "diag"
    assert "stand_still" in (diag / "stack-1.txt").read_text()
    assert "train_step" in (diag / "stack-0.txt").read_text()


def until_found(case: Case) -> None:
    """Wait until the supervisor has seen the hang and has taken evidence of it."""
    [hang] = case.shop.until(lambda: case.entries("hang"))
    assert (hang["attempt"], hang["phase"]) == (1, "step")
    assert hang["evidence"]
