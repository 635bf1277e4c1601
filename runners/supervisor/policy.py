"""What follows when a start of the job has failed: another one, or the end of the run. Pure."""

from typing import Any, NamedTuple


class Policy(NamedTuple):
    """The approved restart policy; see `contracts.launch.RestartPolicy`."""

    max_restarts: int = 0
    """Restarts after the start that was asked for."""
    give_up_after_s: float | None = None
    """Seconds after the first start from which on nothing is restarted."""
    backoff_s: float = 0.0
    """Seconds before the first restart; each further one waits twice as long."""
    backoff_limit_s: float = 0.0
    """Longest wait in seconds."""


class Failure(NamedTuple):
    """What is compared between starts that failed."""

    error: str
    """What failed first, without what differs from start to start (numbers, the rank)."""
    place: str | None
    """Where: "step 12", "before any step"; None where it cannot be told."""
    hopeless: str = ""
    """Why another start cannot succeed; empty where it may."""
    attempt: int = 0
    """The start, counted from 1; not compared."""


class History(NamedTuple):
    """What was spent since somebody last asked for a start."""

    first: int = 1
    """The start that was asked for."""
    began_at: float | None = None
    """When it began, in seconds since the epoch."""
    restarts: int = 0
    """Restarts since then."""
    failures: tuple[Failure, ...] = ()
    """Failures of earlier starts since then."""


class Decision(NamedTuple):
    """Restart or not, and why."""

    restart: bool
    """Whether another start follows."""
    reason: str
    """Why, for a person."""
    pause_s: float = 0.0
    """Seconds to wait before it."""


def policy_of(launch: dict[str, Any]) -> Policy:
    """Return the restart policy of a launch; one that has none is never restarted."""
    given = launch.get("restart")
    return Policy(**{name: given[name] for name in Policy._fields if name in given}) if given else Policy()


def decide(policy: Policy, history: History, failure: Failure, now: float) -> Decision:
    """Return what follows a failed start.

    Args:
        policy: The approved policy.
        history: What was spent before this failure.
        failure: How the start failed.
        now: Seconds since the epoch.
    """
    if policy.max_restarts == 0:
        return Decision(False, "no restarts were approved (max_restarts is 0)")
    if failure.hopeless:
        return Decision(False, failure.hopeless)
    if failure.place is not None and (failure.error, failure.place) in [(f.error, f.place) for f in history.failures]:
        return Decision(False, f"the same error came again at the same place, {failure.place}")
    if history.restarts >= policy.max_restarts:
        return Decision(False, f"all restarts are used up ({history.restarts} of {policy.max_restarts})")
    pause_s = min(policy.backoff_s * 2.0**history.restarts, policy.backoff_limit_s)
    spent_s = now + pause_s - (now if history.began_at is None else history.began_at)
    if policy.give_up_after_s is not None and spent_s > policy.give_up_after_s:
        words = f"the next start would begin {spent_s:.0f} s after the first, limit {policy.give_up_after_s:.0f} s"
        return Decision(False, words)
    return Decision(True, f"restart {history.restarts + 1} of {policy.max_restarts} after: {failure.error}", pause_s)
