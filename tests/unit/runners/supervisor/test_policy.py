"""What follows a failure; the expected decisions are read off the policy's contract."""

import pytest

from contracts.launch import RestartPolicy, WatchLimits
from runners.supervisor.policy import Failure, History, Policy, decide, policy_of

THREE = Policy(max_restarts=3, give_up_after_s=None, backoff_s=10.0, backoff_limit_s=25.0)
BOOM = Failure("a rank exited with 1: RuntimeError: boom", "step 5")


def test_a_launch_without_a_policy_is_not_restarted() -> None:
    assert not decide(policy_of({}), History(), BOOM, 0.0).restart
    given = RestartPolicy().model_dump(mode="json")
    assert not decide(policy_of({"restart": given}), History(), BOOM, 0.0).restart


def test_each_pause_is_twice_as_long_up_to_the_limit() -> None:
    pauses = [decide(THREE, History(restarts=spent), BOOM, 0.0).pause_s for spent in range(3)]
    assert pauses == [10.0, 20.0, 25.0]
    assert not decide(THREE, History(restarts=3), BOOM, 0.0).restart


def test_every_field_of_the_contract_is_read() -> None:
    given = {"max_restarts": 7, "give_up_after_s": 60.0, "backoff_s": 1.0, "backoff_limit_s": 2.0}
    assert policy_of({"restart": RestartPolicy.model_validate(given).model_dump(mode="json")}) == Policy(7, 60, 1, 2)


@pytest.mark.parametrize(("now", "restart"), [(1049.0, True), (1051.0, False)])
def test_nothing_begins_after_the_time_is_up(now: float, restart: bool) -> None:
    policy = THREE._replace(give_up_after_s=60.0)
    # began at 1000, the pause is 10 s: what fails before 1050 may begin again before 1060
    assert decide(policy, History(began_at=1000.0), BOOM, now).restart is restart


@pytest.mark.parametrize(
    ("earlier", "restart"),
    [
        (BOOM, False),
        (BOOM._replace(place="step 6"), True),
        (BOOM._replace(error="a rank killed by SIGKILL"), True),
    ],
)
def test_only_the_same_error_at_the_same_place_ends_it_early(earlier: Failure, restart: bool) -> None:
    assert decide(THREE, History(restarts=1, failures=(earlier,)), BOOM, 0.0).restart is restart


def test_an_unknown_place_is_never_the_same() -> None:
    lost = BOOM._replace(place=None)
    assert decide(THREE, History(restarts=1, failures=(lost,)), lost, 0.0).restart


def test_what_is_hopeless_is_not_tried_again() -> None:
    decision = decide(THREE, History(), BOOM._replace(hopeless="it is hopeless"), 0.0)
    assert (decision.restart, decision.reason) == (False, "it is hopeless")


def test_the_default_limits_are_longer_than_those_of_nccl() -> None:
    # ProcessGroupNCCL gives up after 10 minutes by itself, and names the collective
    assert min(WatchLimits().model_dump(exclude={"factor", "log_s"}).values()) >= 600
