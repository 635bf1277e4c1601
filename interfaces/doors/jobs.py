"""Operations on threads and runs: start, status, read, list, cancel, and, for persons, decide."""

from typing import Any

from contracts.errors import InputError, KeyConflict, NotAllowed, RequestInvalid
from contracts.run import RunRecord
from contracts.settings import Settings
from interfaces.doors.commands import command
from interfaces.doors.desk import Desk
from interfaces.doors.inputs import DecideInput, ListInput, ReadInput, RunInput, StartInput, StatusInput
from interfaces.doors.small import fit
from interfaces.doors.studies import underway
from interfaces.results import Thread

Result = dict[str, Any]
"""Plain JSON data."""

_MAX_REPORT_BYTES = 4 << 20
_EVENTS_PER_PAGE = 200
_LOG_LINES = 200
_RUNS_PER_PAGE = 10
_STUDY_PARTS = ("conclusion", "rows", "uncertain", "decide_by", "parts", "citations", "method")


def start(desk: Desk, given: StartInput) -> Result:
    """Plan a job and put it before a person; the same key tells where it stands."""
    from interfaces.service import make_request
    from interfaces.service_threads import start_run

    request = make_request(desk.roots.confine(given.request))
    thread_id = desk.owners.thread_id(desk.caller, given.key)
    desk.owners.claim(thread_id, desk.caller)
    try:
        return stand(desk.settings, start_run(desk.settings, request, thread_id))
    except RequestInvalid as error:
        if error.code != "other_request":
            raise
        raise KeyConflict(f"the key {given.key[:60]!r} was used for another request", hint="use a new key") from None


def status(desk: Desk, given: StatusInput) -> Result:
    """Tell where a thread or a run stands."""
    if given.id.startswith("t-"):
        from interfaces.service_threads import go_on

        desk.owners.require_thread(desk.caller, given.id)
        if (working := underway(desk.settings, given.id)) is not None:
            return working
        thread = go_on(desk.settings, given.id)
        if thread is None:
            raise InputError(f"there is no thread {given.id!r}", code="unknown_thread")
        return stand(desk.settings, thread, given.part, given.offset)
    return fit(_run_json(_own_run(desk, given.id)), given.part, given.offset)


def read(desk: Desk, given: ReadInput) -> Result:
    """Page through a thread's report, or a run's events or logs."""
    if given.what == "report":
        return _report(desk, given)
    from interfaces.service_jobs import open_runner, read_logs

    record = _own_run(desk, given.id)
    if given.what == "events":
        page = open_runner(desk.settings).events(record.run_id, given.offset, _EVENTS_PER_PAGE)
        return _events_page(page.model_dump(mode="json", exclude_none=True), desk, given)
    text = read_logs(desk.settings, record.run_id, None, _LOG_LINES)
    return fit({"run_id": record.run_id, "logs": text}, "logs", given.offset)


def list_runs(desk: Desk, given: ListInput) -> Result:
    """List the caller's runs, the newest first; an approver sees everybody's."""
    from interfaces.service_jobs import open_runner, thread_of

    seen = (run for run in open_runner(desk.settings).runs() if desk.owners.sees(desk.caller, thread_of(run)))
    page = [run for number, run in enumerate(seen) if given.offset <= number <= given.offset + _RUNS_PER_PAGE]
    result: Result = {"runs": [_run_json(run, short=True) for run in page[:_RUNS_PER_PAGE]], "offset": given.offset}
    if len(page) > _RUNS_PER_PAGE:
        result["next_offset"] = given.offset + _RUNS_PER_PAGE
    return result


def cancel(desk: Desk, given: RunInput) -> Result:
    """Ask a run to save and stop."""
    from interfaces.service_jobs import cancel_run

    _own_run(desk, given.run_id)
    return fit(_run_json(cancel_run(desk.settings, given.run_id)))


def decide(desk: Desk, given: DecideInput) -> Result:
    """Record a person's decision on a launch, and start it where that is "approve"."""
    if not desk.caller.may_decide:
        raise NotAllowed("deciding on a launch takes the approver's token", code="approver_needed")
    from interfaces.service_threads import decide as record

    thread = record(
        desk.settings,
        given.launch_hash,
        given.decision,
        via="server",
        reason=given.reason,
        thread_id=given.thread_id,
        approver=desk.caller.name,
    )
    return stand(desk.settings, thread)


def stand(settings: Settings, thread: Thread, part: str | None = None, offset: int = 0) -> Result:
    """Return where a thread stands, with all of the launch that waits: an approver sees what he approves."""
    whole = thread.model_dump(mode="json", exclude_none=True)
    plan = whole.pop("plan", None)
    result: Result = {"status": _word(thread), **whole}
    if thread.phase == "awaiting_approval" and plan:
        # the files are a part of their own: they are many, and the command must not be cut for them
        result["inputs"] = plan["launch"].pop("inputs")
        if plan["launch"].get("launches"):
            result["launches"] = plan["launch"].pop("launches")  # likewise: what the job starts in turn
        result["launch"] = plan["launch"]
        if plan.get("amendment"):  # what was changed after the run that failed, and why
            result["amendment"] = {name: value for name, value in plan["amendment"].items() if name != "edits"}
        result["approve_with"] = command(settings, "approve", str(thread.launch_hash), "--thread", thread.thread_id)
        result["note"] = "a person has to approve this launch; no tool can. Ask them, then look at the status again."
    if thread.phase == "running" and thread.run_id:
        result["follow_with"] = command(settings, "jobs", "follow", thread.run_id)
    if whole.get("study"):
        # what is long is a part of its own, to be paged through; what follows from it comes first
        result |= {name: result["study"].pop(name) for name in _STUDY_PARTS if name in result["study"]}
    if plan and not whole.get("study"):
        shown = ("plan_id", "verdict", "fits", "memory", "throughput", "config")
        result["plan"] = {name: plan.get(name) for name in shown}
        (result["plan"]["memory"] or {}).pop("formula", None)
    return fit(result, part, offset)


def _word(thread: Thread) -> str:
    return "needs_approval" if thread.phase == "awaiting_approval" else thread.phase


def _own_run(desk: Desk, run_id: str) -> RunRecord:
    from interfaces.service_jobs import show_run, thread_of

    record = show_run(desk.settings, run_id)
    desk.owners.require_run(desk.caller, run_id, thread_of(record))
    return record


def _run_json(record: RunRecord, *, short: bool = False) -> Result:
    whole = record.model_dump(mode="json", exclude_none=True)
    names = ("run_id", "kind", "state", "attempt", "step", "steps", "loss", "reason", "launch_hash", "created_at")
    return {name: whole[name] for name in names if name in whole} if short else whole


def _report(desk: Desk, given: ReadInput) -> Result:
    from interfaces.doors.reports import report_path

    path = report_path(desk, given.id, "report.md")
    with open(path, "rb") as stream:
        text = stream.read(_MAX_REPORT_BYTES).decode("utf-8", "replace")
    return fit({"thread_id": given.id, "report": text}, "report", given.offset)


def _events_page(page: dict[str, Any], desk: Desk, given: ReadInput) -> Result:
    """Cut a page of events to what fits; the cursor is a byte of the events' file."""
    from interfaces.doors.small import LIMIT_CHARACTERS, as_text
    from interfaces.service_jobs import open_runner

    count = len(page["events"])
    while count > 1 and len(as_text({"events": page["events"][:count]})) > LIMIT_CHARACTERS - 400:
        count //= 2
    if count < len(page["events"]):
        page = (
            open_runner(desk.settings).events(given.id, given.offset, count).model_dump(mode="json", exclude_none=True)
        )
    more = page["cursor"] > given.offset
    return {"run_id": given.id, "events": page["events"]} | ({"next_offset": page["cursor"]} if more else {})
