"""What a person is shown before deciding, for programs and for chat windows alike."""

import json
import re
import shlex
from typing import Any

from contracts.amendment import Amendment
from contracts.finding import Finding
from contracts.launch import InnerLaunch, LaunchRequest
from contracts.plan import Plan
from contracts.request import Language
from engines.approval.wording import said

_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that a person would not see, or that would reorder what is seen."""


def approval_question(
    plan: Plan, language: Language, notice: str = "", findings: tuple[Finding, ...] = ()
) -> dict[str, Any]:
    """Return the payload of the approval interrupt.

    Besides the launch itself it has the human-in-the-loop shape (`action_requests` and
    `review_configs`) that Studio and chat front ends draw.

    Args:
        plan: A plan with a launch.
        language: In which language the description is written.
        notice: Why an earlier answer did not decide; empty at first.
        findings: What the review found in the plan and in the code that would run; none is an error.
    """
    launch = plan.launch
    assert launch is not None
    description = f"{_description(launch, language)}\n\n{_findings(findings, language)}"
    if plan.warnings:
        warned = "\n".join(f"- {_HIDDEN.sub(' ', warning)}" for warning in plan.warnings)
        description = f"{said('warnings', language)}\n{warned}\n\n{description}"
    if plan.amendment is not None:
        description = f"{_changed(plan.amendment, language)}\n\n{description}"
    return {
        "kind": "approval",
        "launch_hash": launch.launch_hash,
        "launch": launch.model_dump(mode="json"),
        "summary": _summary(plan, launch, language),
        "notice": notice,
        "warnings": list(plan.warnings),
        "amendment": None if plan.amendment is None else plan.amendment.model_dump(mode="json"),
        "findings": [found.model_dump(mode="json") for found in findings],
        "action_requests": [
            {
                "name": "launch",
                "args": {"launch_hash": launch.launch_hash, "command": [launch.interpreter, *launch.argv]},
                "description": f"**{notice}**\n\n{description}" if notice else description,
            }
        ],
        "review_configs": [{"action_name": "launch", "allowed_decisions": ["approve", "reject"]}],
    }


def _summary(plan: Plan, launch: LaunchRequest, language: Language) -> str:
    ranks = launch.resources.nodes * launch.resources.ranks_per_node
    form = {"script": "summary_script", "trials": "summary_trials"}.get(launch.kind, "summary")
    peak, minutes = launch.estimated_peak_gib, launch.estimated_minutes
    return said(
        form,
        language,
        kind=launch.kind,
        count=len(launch.launches),
        ranks=ranks,
        device=launch.resources.device,
        steps=plan.recipe.steps,
        peak=said("gib_unknown" if peak is None else "gib", language, n=peak),
        minutes=said("time_unknown" if minutes is None else "time", language, n=minutes),
    )


def _description(launch: LaunchRequest, language: Language) -> str:
    resources = launch.resources
    rows = [
        (said("command", language), _code(shlex.join([launch.interpreter, *launch.argv]))),
        (said("folder", language), _code(launch.workdir)),
        (said("ranks", language), f"{resources.nodes} x {resources.ranks_per_node} ({resources.device})"),
        *([("Slurm", _code(launch.slurm.words))] if launch.slurm is not None else []),
        (said("sets", language), ", ".join(_code(f"{name}={value}") for name, value in launch.env.items()) or "-"),
        (said("passes", language), ", ".join(map(_code, launch.env_passed)) or "-"),
        (said("writes", language), ", ".join(map(_code, launch.writes))),
        (said("hash", language), _code(launch.launch_hash)),
    ]
    lines = [f"- {name}: {value}" for name, value in rows]
    if launch.launches:
        lines += ["", said("launches", language), *(_inner(one, launch.interpreter) for one in launch.launches)]
    lines += ["", said("inputs", language)]
    lines += [f"- {entry.role} {_code(entry.path)} ({_code(entry.sha256[:12])})" for entry in launch.inputs]
    return "\n".join(lines)


def _inner(one: InnerLaunch, interpreter: str) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in one.settings.items())
    return f"- {_code(one.label)}: {_code(settings)}\n  {_code(shlex.join([interpreter, *one.argv]))}"


def _changed(made: Amendment, language: Language) -> str:
    """Return what was changed after the failure and why; the diff is shown whole."""
    lines = [f"**{said('changed', language, round=made.round, run=made.after_run, cause=made.cause)}** {made.why}."]
    lines += [f"- {_code(f'{place} = {json.dumps(value)}')}" for place, value in made.settings.items()]
    if made.costs:
        lines.append(f"- {said('costs', language)}: {made.costs}")
    start = _code(made.resumes_from) if made.resumes_from else said("no_checkpoint", language)
    lines.append(f"- {said('starts_from', language)}: {start} ({made.resume_reason})")
    if made.diff:
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", made.diff)), default=0))
        lines += ["", f"{fence}diff", _HIDDEN.sub(lambda hit: f"\\u{ord(hit[0]):04x}", made.diff), fence]
    return "\n".join(lines)


def _findings(findings: tuple[Finding, ...], language: Language) -> str:
    if not findings:
        return said("no_findings", language)
    lines = [f"- {one.severity} {one.rule} {_code(f'{one.file}:{one.line}')}: {one.message}" for one in findings]
    return "\n".join([said("findings", language), *lines])


def _code(text: str) -> str:
    return "`" + text.replace("`", "'").replace("\n", " ") + "`"
