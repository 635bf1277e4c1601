"""Which node is to blame."""

import pytest

from runners.batch.verdict import bad_in_log, bad_in_roll_call, failed_nodes

NODES = ("n1", "n2", "n3")


def answer(node: str, time: float = 1000.0, python: str = "3.11.7", *, sees: bool = True) -> dict[str, object]:
    return {"node": node, "time": time, "python": python, "sees": sees}


def test_a_node_that_failed_and_one_that_refused() -> None:
    log = (
        "step 3\nsrun: error: Node failure on n2\n"
        "srun: error: Task launch for StepId=4.0 failed on node n3: Communication connection failure\n"
        "srun: error: Node failure on elsewhere\n"
    )
    assert failed_nodes(log, NODES) == {
        "n2": "it failed",
        "n3": "it could not start its task: Communication connection failure",
    }


def test_what_a_task_prints_is_not_believed() -> None:
    assert failed_nodes("  srun: error: Node failure on n2\n", NODES) == {}


def test_the_first_task_that_ended_is_to_blame_not_those_that_were_ended_for_it() -> None:
    log = (
        "srun: error: n3: task 2: Terminated\n"
        "srun: error: n2: task 1: Exited with exit code 7\n"
        "srun: error: n1: task 0: Exited with exit code 1\n"
    )
    assert bad_in_log(log, NODES) == {"n2": "its task of the preflight exited with exit code 7"}
    assert bad_in_log("srun: error: n2: task 1: Killed\n", NODES) == {}


def test_all_is_well() -> None:
    assert bad_in_roll_call(NODES, [answer(name) for name in NODES], 999.0, 1001.0, "") == {}


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (answer("n2", time=1061.0), "its clock is +60 s off the first node's"),
        (answer("n2", time=900.0), "its clock is -99 s off the first node's"),
        (answer("n2", python="3.9.2"), "its Python is 3.9.2, most have 3.11.7"),
        (answer("n2", sees=False), "it does not see what the first node wrote: the folder is not shared"),
    ],
)
def test_an_odd_answer(odd: dict[str, object], reason: str) -> None:
    assert bad_in_roll_call(NODES, [answer("n1"), odd, answer("n3")], 999.0, 1001.0, "") == {"n2": reason}


def test_no_answer() -> None:
    answers = [answer("n1"), answer("n3")]
    assert bad_in_roll_call(NODES, answers, 999.0, 1001.0, "") == {"n2": "it gave no answer in the shared folder"}
    assert bad_in_roll_call(NODES, [], 999.0, 1001.0, "") == {}  # it is not the nodes


def test_of_two_pythons_nobody_knows_which_is_right() -> None:
    assert bad_in_roll_call(("n1", "n2"), [answer("n1"), answer("n2", python="3.9.2")], 999.0, 1001.0, "") == {}


def test_a_node_whose_task_fails_at_once_takes_the_others_answers_with_it() -> None:
    log = "srun: error: n2: task 1: Exited with exit code 127\nsrun: error: n1: task 0: Terminated\n"
    bad = bad_in_roll_call(NODES, [answer("n3")], 999.0, 1001.0, log)
    assert bad == {"n2": "its task of the preflight exited with exit code 127"}
