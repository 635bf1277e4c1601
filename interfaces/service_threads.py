"""Start a thread, decide on its launch, let it go on. These operations drive the graph.

Each may be repeated without harm: a decision given twice starts one job, and a thread
that was cut off by a kill goes on where it was.
"""

import getpass
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

from langgraph.types import Command, Interrupt, StateSnapshot

from contracts.amendment import Amendment, round_of
from contracts.approval import Approval
from contracts.errors import FsdpAgentError, InputError, NotAllowed, RequestInvalid
from contracts.plan import Plan
from contracts.request import Request
from contracts.run import TERMINAL_STATES
from contracts.settings import Settings
from engines.approval.judge import seal_approval
from interfaces.results import Thread
from interfaces.results_plan import PlanAnswer
from interfaces.service_jobs import THREAD_ID, open_runner
from interfaces.threads import Threads, open_threads, pending

Decision = Literal["approve", "reject"]
"""What a person says to a launch."""

Via = Literal["cli", "yes_flag", "server", "elicitation"]
"""How the person said it."""

_MIN_HASH_DIGITS = 12
_FINISHING_STEPS = 10


def start_run(
    settings: Settings, request: Request, thread_id: str | None = None, told: Callable[[str], None] | None = None
) -> Thread:
    """Take a request as far as it goes without a person's decision.

    Args:
        settings: Home folder and training interpreter.
        request: What is asked.
        thread_id: Id of the thread; a new one where absent. A thread that exists already is
            not started again: it goes on, and tells where it stands.
        told: Is told what the nodes are about, while they work.

    Raises:
        InputError: The id has another form, or the thread was started by another request.
    """
    name = thread_id or f"t-{secrets.token_hex(6)}"
    if not THREAD_ID.fullmatch(name):
        raise InputError(f"--thread {name!r} has another form than t-0123456789ab (12 hex digits)")
    asked = request.model_dump(mode="json", exclude_unset=True)
    with open_threads(settings) as threads, threads.held(name):
        if not threads.exists(name):
            threads.send(name, {"request": asked}, told)
        elif threads.state(name).values.get("asked") not in (None, asked, asked | {"study": True}):
            raise RequestInvalid(
                f"thread {name} was started by another request", code="other_request", hint="leave --thread out"
            )
        return _finished(threads, name)


def decide(
    settings: Settings,
    launch_hash: str,
    decision: Decision,
    via: Via = "cli",
    reason: str = "",
    thread_id: str | None = None,
    approver: str | None = None,
) -> Thread:
    """Record a person's decision on a launch and let the thread that waits for it go on.

    A launch that was approved already is not started again: its thread is returned.

    Args:
        settings: Home folder.
        launch_hash: Hash of the launch, 12 digits of its beginning at least.
        decision: What the person says.
        via: How the person said it.
        reason: What the person said about it.
        thread_id: Which thread, where several wait for this launch.
        approver: Who the person is; the user of this process where absent.

    Raises:
        InputError: No thread has, or had, this launch, or several wait for it and none is named.
        NotAllowed: It was decided otherwise already, or the graph did not accept the decision.
    """
    launch_hash = launch_hash.strip().lower()
    with open_threads(settings) as threads:
        chosen = _find(threads, launch_hash, thread_id)
        with threads.held(chosen):
            # Read again under the lock: another process may have decided meanwhile.
            asked = pending(threads.state(chosen), "approval")
            if asked is not None and asked.value["launch_hash"].startswith(launch_hash):
                said = {"decision": decision, "via": via, "reason": reason, "approver": approver or getpass.getuser()}
                _answer(threads, chosen, asked, said)
            else:
                _refuse_contradiction(threads.state(chosen), decision)
            return _finished(threads, chosen)


def go_on(settings: Settings, thread_id: str) -> Thread | None:
    """Let a thread take note of its run's end; None where there is no such thread here."""
    with open_threads(settings) as threads:
        if not threads.exists(thread_id):
            return None
        with threads.held(thread_id):
            return _finished(threads, thread_id)


def go_on_all(settings: Settings) -> tuple[str, ...]:
    """Let every thread go on whose run has ended, and return the ids of those that did."""
    moved = []
    with open_threads(settings) as threads:
        for thread_id, values in threads.all():
            if values.get("run_id") and values.get("phase") == "running":
                with threads.held(thread_id):
                    if _finished(threads, thread_id).phase != "running":
                        moved.append(thread_id)
    return tuple(moved)


def _find(threads: Threads, launch_hash: str, thread_id: str | None) -> str:
    """Return the thread that a decision on this launch is for."""
    if len(launch_hash) < _MIN_HASH_DIGITS or set(launch_hash) - set("0123456789abcdef"):
        raise InputError(f"{launch_hash!r} is no launch hash: 64 hex digits, or the first {_MIN_HASH_DIGITS} or more")
    known = [(name, values) for name, values in threads.all() if values.get("launch_hash")]
    found = [(name, values) for name, values in known if values["launch_hash"].startswith(launch_hash)]
    found = found or [(name, values) for name, values in known if _superseded(values, launch_hash)]
    if thread_id is not None:
        found = [(name, values) for name, values in found if name == thread_id]
    if len({values["launch_hash"] for _, values in found}) > 1:
        raise InputError(f"{launch_hash} is the beginning of several hashes: give more digits")
    if not found:
        waiting = [values["launch_hash"] for _, values in known if values.get("phase") == "awaiting_approval"]
        hint = "waiting: " + ", ".join(waiting[:10]) if waiting else "nothing waits for approval"
        where = f" in thread {thread_id}" if thread_id else ""
        raise InputError(f"no launch {launch_hash} is known here{where}", code="unknown_launch", hint=hint)
    # A decision answers every question that was asked before it. So a question that is
    # older than the last decision on the same launch is not answered by repeating that.
    decided = [(name, values) for name, values in found if values.get("approval")]
    last = max((_decided_at(values) for _, values in decided), default=float("-inf"))
    newer = [
        name
        for name, values in found
        if values.get("phase") == "awaiting_approval" and values.get("asked_at", 0.0) > last
    ]
    if len(newer) > 1:
        raise InputError(
            f"launch {launch_hash} waits in {len(newer)} threads: {', '.join(sorted(newer)[:10])}",
            code="several_threads",
            hint="say which: --thread THREAD",
        )
    return newer[0] if newer else (decided or found)[0][0]


def _superseded(values: dict[str, Any], launch_hash: str) -> bool:
    """Tell whether a thread had this launch, which failed, and has another one since."""
    return any(str(made.get("after_launch")).startswith(launch_hash) for made in values.get("amendments") or ())


def _decided_at(values: dict[str, Any]) -> float:
    return datetime.fromisoformat(values["approval"]["decided_at"]).timestamp()


def _answer(threads: Threads, thread_id: str, asked: Interrupt, said: dict[str, str]) -> None:
    launch_hash, now = asked.value["launch_hash"], datetime.now(UTC).isoformat()
    approval = Approval.model_validate(said | {"launch_hash": launch_hash, "decided_at": now, "thread_id": thread_id})
    record = seal_approval(approval, threads.home.secret("approve")).model_dump(mode="json")
    threads.send(thread_id, Command(resume={asked.id: record}))
    after = threads.state(thread_id)
    if after.values.get("phase") == "awaiting_approval" and after.values.get("notice"):
        raise NotAllowed(after.values["notice"], code="decision_not_accepted")


def _refuse_contradiction(state: StateSnapshot, decision: Decision) -> None:
    before = state.values.get("approval")
    if before and before["decision"] != decision:
        said = f"{before['decision']}d by {before['approver']} at {before['decided_at']}".replace("rejectd", "rejected")
        raise NotAllowed(f"this launch was already {said}", code="already_decided")


def _finished(threads: Threads, thread_id: str) -> Thread:
    """Let a thread go on as far as it can by itself, and tell where it stands."""
    for _ in range(_FINISHING_STEPS):
        state = threads.state(thread_id)
        message = _next_message(threads, state)
        if message is _NOTHING:
            break
        threads.send(thread_id, message)
    return _thread(thread_id, state)


_NOTHING = object()


def _next_message(threads: Threads, state: StateSnapshot) -> Any:
    """Return what lets a thread go on; _NOTHING where it waits for others or has ended."""
    if pending(state, "approval"):
        return _NOTHING
    if state.next and not state.interrupts:
        return None  # a kill cut it off between two nodes
    run_id = state.values.get("run_id")
    if run_id is None:
        return _NOTHING
    try:
        record = open_runner(threads.settings).status(run_id)
    except FsdpAgentError:
        return _NOTHING
    job = pending(state, "job")
    if job is not None:
        return Command(resume={job.id: record.state}) if record.state in TERMINAL_STATES else _NOTHING
    seen = state.values.get("run") or {}
    # It ended, and the run was resumed since: the graph looks at it again.
    return {"messages": []} if record.attempt > seen.get("attempt", 0) else _NOTHING


def _thread(thread_id: str, state: StateSnapshot) -> Thread:
    # `rounds` of the state counts launches; here it is what was changed
    names = [name for name in Thread.model_fields if name != "rounds" and state.values.get(name)]
    values = {name: state.values[name] for name in names}
    plan = values.pop("plan", None)
    made = [Amendment.model_validate(entry) for entry in state.values.get("amendments") or ()]
    values["rounds"] = tuple(map(round_of, made))
    if plan is not None:
        values["plan"] = PlanAnswer.of(Plan.model_validate(plan))
    return Thread(**values | {"thread_id": thread_id, "phase": state.values.get("phase", "assessing")})
