"""A thread as text for a person: the plan, what was found, and the launch that waits."""

import shlex

from contracts.launch import LaunchRequest
from contracts.request import Language
from contracts.trials import Trials
from interfaces.cli.amendment_text import show_amendment
from interfaces.cli.output import Output
from interfaces.cli.policy_text import limits_text, restart_text, taken_text, watch_text
from interfaces.cli.scale_text import show_scale
from interfaces.cli.sizing_text import judged, show_memory
from interfaces.cli.tables import plain_table
from interfaces.cli.text import exact, one_line
from interfaces.cli.words import label, word
from interfaces.results import Thread
from interfaces.results_plan import PlanAnswer

_GIB = 1 << 30
_DISPUTED = ("conflict_", "reading_")
"""Codes of questions on what can be read in two ways: whoever decides on a launch has to see them."""

_TRIAL_HEADINGS = ("trial", "tokens_s", "predicted", "ratio", "step_s", "peak_gib", "predicted", "ratio")
"""Speeds are those of one rank."""


def show_launch(out: Output, thread: Thread) -> None:
    """Print all that a person needs for a decision: need, plan, findings, the exact launch."""
    if thread.need is not None:
        for reason in thread.need.reasons:
            out.progress(reason.text)
    assert thread.plan is not None, "only a plan's launch waits for approval"
    language = language_of(thread)
    for gap in thread.need.missing if thread.need is not None else ():
        if gap.code.startswith(_DISPUTED):
            out.progress(f"{gap.question}  ({word('assumed', language)}: {gap.assumed})")
    if thread.plan.amendment is not None:
        show_amendment(out, thread.plan.amendment, thread.diagnosis, language)
    show_plan(out, thread.plan, language)
    for finding in thread.findings:
        out.progress(f"{finding.severity} {finding.rule} {finding.file}:{finding.line}: {finding.message}")
    if not thread.findings:
        out.progress(word("no_findings", language))
    assert thread.plan.launch is not None
    show_request(out, thread.plan.launch, language)
    out.progress(f"{label('hash', language)} {thread.launch_hash}")


def language_of(thread: Thread) -> Language:
    """Return the language in which a thread is told."""
    return thread.need.language if thread.need is not None else "en"


def show_plan(out: Output, plan: PlanAnswer, language: Language = "en") -> None:
    """Print a plan: verdict, predicted memory, decisions, alternatives, warnings."""
    from rich.text import Text

    fits = word("not_predicted", language)
    if plan.memory is not None:
        fits = judged(plan.fits, plan.memory, word("no_device", language), language)
    own = plan.launch is not None and plan.launch.kind == "script" and plan.memory is None
    verdict = word("not_judged", language) if own else plan.verdict
    ranks = word("rank" if plan.world_size == 1 else "ranks", language, n=plan.world_size)
    out.progress(f"{word('plan', language)} {plan.plan_id}: {verdict}, {ranks}, {fits}")
    if plan.memory is not None:
        show_memory(out, plan.memory, language)
    if plan.throughput is not None:
        speed = plan.throughput
        told = {"speed": speed.tokens_per_s_per_gpu, "error": speed.error_pct, "mfu": speed.mfu_pct}
        out.progress(word("speed", language, bound=speed.bound_by, **told))
    if plan.bill is not None:
        out.progress(plan.bill.arithmetic)
    if plan.scale is not None:
        show_scale(out, plan.scale, language)
    if plan.decisions:
        table = plain_table(word("decision", language), word("because", language))
        for decision in plan.decisions:
            table.add_row(Text(one_line(decision.choice)), Text(one_line(decision.because)))
        out.table(table)
    written = plan.artifacts if plan.launch is None else ()
    said = (("instead", plan.alternatives), ("assumed", plan.assumptions), ("warning", plan.warnings))
    for name, lines in (*said, ("wrote", written)):
        for line in lines:
            out.progress(f"{word(name, language)}: {line}")


def show_request(out: Output, launch: LaunchRequest, language: Language = "en") -> None:
    """Print exactly what would run; nothing of it is shortened."""
    from rich.text import Text

    def line(name: str, text: str) -> None:
        out.progress(f"{label(name, language)} {text}")

    resources = launch.resources
    line("runs", exact(shlex.join([launch.interpreter, *launch.argv])))
    for one in launch.launches:
        settings = ", ".join(f"{name}={value}" for name, value in one.settings.items())
        line("in_turn", f"{exact(one.label)}: {exact(settings)}")
        out.progress(f"             {exact(shlex.join([launch.interpreter, *one.argv]))}")
    line("in", exact(launch.workdir))
    placed = f"{resources.nodes} x {resources.ranks_per_node} {word('on', language)} {resources.device}"
    line("ranks_label", placed)
    if launch.slurm is not None:
        out.progress(f"{'slurm':<12} {exact(launch.slurm.words)}")
    for name, value in launch.env.items():
        line("sets", f"{exact(name)}={exact(value)}")
    line("passes_on", exact(", ".join(launch.env_passed)) or word("no_variable", language))
    line("writes", exact(", ".join(launch.writes)))
    peak, minutes = launch.estimated_peak_gib, launch.estimated_minutes
    told = "?" if peak is None else word("for_each_rank", language, size=peak)
    time = "?" if minutes is None else word("minutes", language, n=minutes)
    line("takes", word("takes_text", language, peak=told, minutes=time, taken=taken_text(resources, language)))
    if limited := limits_text(launch.limits, language):
        line("limits", limited)
    line("restarts", restart_text(launch.restart, language))
    line("hung_after", watch_text(launch.watch, language))
    headings = (word(name, language) for name in ("reads", "file", "size"))
    table = plain_table(*headings, "SHA-256")
    for entry in launch.inputs:
        size = f"{entry.size_bytes / _GIB:.3f} GiB" if entry.size_bytes >= _GIB // 100 else f"{entry.size_bytes} bytes"
        table.add_row(Text(entry.role), Text(exact(entry.path)), Text(size), Text(entry.sha256[:16]))
    out.table(table)


def show_trials(out: Output, tried: Trials, language: Language = "en") -> None:
    """Print what trials measured beside what was predicted."""
    from engines.reporting.trials import trial_cells

    table = plain_table(*(word(name, language) for name in _TRIAL_HEADINGS))
    for trial, result in zip(tried.trials, tried.results, strict=True):
        table.add_row(*trial_cells(trial, result, language))
    out.table(table)


def show_end(out: Output, thread: Thread, home: str) -> None:
    """Print where a thread stands, once nothing more will happen in this command.

    Args:
        out: Where it is printed.
        thread: The thread.
        home: Option that names the home folder, for the commands that are proposed.
    """
    if thread.answer is not None:
        out.progress(thread.answer.answer)
    elif thread.report is not None:
        out.progress(thread.report.summary)
    if thread.trials is not None and thread.trials.results:
        show_trials(out, thread.trials, language_of(thread))
    show_stand(out, thread, home)


def show_stand(out: Output, thread: Thread, home: str) -> None:
    """Print what a thread waits for, and with which commands it goes on; arguments as of `show_end`."""
    if thread.phase == "awaiting_approval":
        rest = f"{thread.launch_hash} --thread {thread.thread_id}{home}"
        out.progress(word("waits", language_of(thread), hash=thread.launch_hash))
        out.progress(word("how_to_decide", language_of(thread), rest=rest))
    elif thread.phase == "running" and thread.run_id:
        out.progress(word("goes_on", language_of(thread), run_id=thread.run_id, home=home))
