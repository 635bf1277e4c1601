"""A thread as text for a person: the plan, what was found, and the launch that waits."""

import shlex

from contracts.launch import LaunchRequest
from contracts.trials import Trials
from contracts.units import size_text
from interfaces.cli.amendment_text import show_amendment
from interfaces.cli.output import Output
from interfaces.cli.policy_text import limits_text, restart_text, taken_text, watch_text
from interfaces.cli.scale_text import show_scale
from interfaces.cli.sizing_text import judged, show_memory
from interfaces.cli.tables import plain_table
from interfaces.cli.text import counted, exact, one_line
from interfaces.results import Thread
from interfaces.results_plan import PlanAnswer

_GIB = 1 << 30
_TRIAL_HEADINGS = ("trial", "tokens/s", "predicted", "ratio", "step s", "peak GiB", "predicted", "ratio")
"""Speeds are those of one rank."""


def show_launch(out: Output, thread: Thread) -> None:
    """Print all that a person needs for a decision: need, plan, findings, the exact launch."""
    if thread.need is not None:
        for reason in thread.need.reasons:
            out.progress(reason.text)
    assert thread.plan is not None, "only a plan's launch waits for approval"
    if thread.plan.amendment is not None:
        show_amendment(out, thread.plan.amendment, thread.diagnosis)
    show_plan(out, thread.plan)
    for finding in thread.findings:
        out.progress(f"{finding.severity} {finding.rule} {finding.file}:{finding.line}: {finding.message}")
    if not thread.findings:
        out.progress("review: no findings")
    assert thread.plan.launch is not None
    show_request(out, thread.plan.launch)
    out.progress(f"hash         {thread.launch_hash}")


def show_plan(out: Output, plan: PlanAnswer) -> None:
    """Print a plan: verdict, predicted memory, decisions, alternatives, warnings."""
    from rich.text import Text

    fits = "memory not predicted"
    if plan.memory is not None:
        fits = judged(plan.fits, plan.memory, "no device memory to judge it by")
    ranks = counted(plan.world_size, "rank")
    out.progress(f"plan {plan.plan_id}: {plan.verdict}, {ranks}, {fits}")
    if plan.memory is not None:
        show_memory(out, plan.memory)
    if plan.throughput is not None:
        speed = plan.throughput
        out.progress(
            f"{speed.tokens_per_s_per_gpu:,.0f} tokens/s per GPU (+-{speed.error_pct:g} %), "
            f"{speed.mfu_pct:.1f} % of the peak FLOPs, bound by {speed.bound_by}"
        )
    if plan.bill is not None:
        out.progress(plan.bill.arithmetic)
    if plan.scale is not None:
        show_scale(out, plan.scale)
    if plan.decisions:
        table = plain_table("decision", "because")
        for decision in plan.decisions:
            table.add_row(Text(one_line(decision.choice)), Text(one_line(decision.because)))
        out.table(table)
    written = plan.artifacts if plan.launch is None else ()
    said = (("instead", plan.alternatives), ("assumed", plan.assumptions), ("warning", plan.warnings))
    for label, lines in (*said, ("wrote", written)):
        for line in lines:
            out.progress(f"{label}: {line}")


def show_request(out: Output, launch: LaunchRequest) -> None:
    """Print exactly what would run; nothing of it is shortened."""
    from rich.text import Text

    resources = launch.resources
    out.progress(f"runs         {exact(shlex.join([launch.interpreter, *launch.argv]))}")
    for one in launch.launches:
        settings = ", ".join(f"{name}={value}" for name, value in one.settings.items())
        out.progress(f"in turn      {exact(one.label)}: {exact(settings)}")
        out.progress(f"             {exact(shlex.join([launch.interpreter, *one.argv]))}")
    out.progress(f"in           {exact(launch.workdir)}")
    out.progress(f"ranks        {resources.nodes} x {resources.ranks_per_node} on {resources.device}")
    for name, value in launch.env.items():
        out.progress(f"sets         {exact(name)}={exact(value)}")
    out.progress(f"passes on    {exact(', '.join(launch.env_passed)) or 'no variable'}")
    out.progress(f"writes       {exact(', '.join(launch.writes))}")
    peak = "?" if launch.estimated_peak_gib is None else f"{size_text(launch.estimated_peak_gib)} for each rank"
    minutes = "?" if launch.estimated_minutes is None else f"{launch.estimated_minutes:.0f} minutes"
    out.progress(f"takes        memory {peak}, time {minutes}; of this machine {taken_text(resources)}")
    if limited := limits_text(launch.limits):
        out.progress(f"limits       {limited}")
    out.progress(f"restarts     {restart_text(launch.restart)}")
    out.progress(f"hung after   {watch_text(launch.watch)}")
    table = plain_table("reads", "file", "size", "SHA-256")
    for entry in launch.inputs:
        size = f"{entry.size_bytes / _GIB:.3f} GiB" if entry.size_bytes >= _GIB // 100 else f"{entry.size_bytes} bytes"
        table.add_row(Text(entry.role), Text(exact(entry.path)), Text(size), Text(entry.sha256[:16]))
    out.table(table)


def show_trials(out: Output, tried: Trials) -> None:
    """Print what trials measured beside what was predicted."""
    from engines.reporting.trials import trial_cells

    table = plain_table(*_TRIAL_HEADINGS)
    for trial, result in zip(tried.trials, tried.results, strict=True):
        table.add_row(*trial_cells(trial, result))
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
        show_trials(out, thread.trials)
    show_stand(out, thread, home)


def show_stand(out: Output, thread: Thread, home: str) -> None:
    """Print what a thread waits for, and with which commands it goes on; arguments as of `show_end`."""
    if thread.phase == "awaiting_approval":
        rest = f"{thread.launch_hash} --thread {thread.thread_id}{home}"
        out.progress(f"waits for approval of launch {thread.launch_hash}")
        out.progress(f"approve it:  fsdp-agent approve {rest}\nreject it:   fsdp-agent reject {rest}")
    elif thread.phase == "running" and thread.run_id:
        out.progress(f"run {thread.run_id} goes on; watch it: fsdp-agent jobs follow {thread.run_id}{home}")
