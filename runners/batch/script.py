"""The sbatch script of a submission: read by a person, submitted by the runner or by hand.

It asks for the nodes and starts the supervisor; what the nodes then run stands in the
approved launch, not in the script: who edits the script changes where a job runs and for
how long, never what runs. Standard library only.
"""

import shlex
import sys
from pathlib import Path
from typing import Any

from runners.batch.submissions import SubmissionDir
from runners.capacity import demand_of
from runners.rundir import RunDir

_SUPERVISOR = Path(__file__).parents[1] / "supervisor" / "__main__.py"
_MIB_PER_GIB = 1024
_LINE_CHARS = 112


def sbatch_script(
    run: RunDir, submission: SubmissionDir, launch: dict[str, Any], marker: str, excluded: list[str]
) -> str:
    """Return the script.

    Args:
        run: The run folder, on a file system that all nodes see.
        submission: The submission that it is for.
        launch: The approved LaunchRequest as plain JSON data.
        marker: What the run's processes are known by.
        excluded: Further nodes that are not used.
    """
    options: dict[str, Any] = launch.get("slurm") or {}
    lines = [f"#SBATCH {line}" for line in _directives(submission, launch, options, marker, excluded)]
    # a login shell defines `module`
    shell = "#!/bin/bash -l" if options.get("modules") else "#!/bin/bash"
    return "\n".join([shell, *lines, *_body(run, submission, launch, options)]) + "\n"


def _directives(
    submission: SubmissionDir, launch: dict[str, Any], options: dict[str, Any], marker: str, excluded: list[str]
) -> list[str]:
    resources, demand = launch["resources"], demand_of(launch)
    gpu = ":".join(filter(None, ("gpu", options.get("gpu_type"), str(demand.gpus)))) if demand.gpus else None
    memory, minutes = options.get("memory_gib_per_node"), options.get("time_limit_minutes")
    named = {
        "job-name": submission.name(marker),
        "nodes": resources["nodes"],
        "ntasks-per-node": 1,
        "cpus-per-task": max(1, demand.cores),
        "gres": gpu,
        "mem": None if memory is None else f"{round(memory * _MIB_PER_GIB)}M",
        **{name: options.get(name) for name in ("partition", "account", "qos", "constraint", "reservation")},
        "exclude": ",".join([*options.get("exclude", ()), *excluded]) or None,
        "time": None if minutes is None else f"{minutes // 1440}-{minutes % 1440 // 60:02d}:{minutes % 60:02d}:00",
        "signal": f"B:USR1@{options.get('save_before_s', 120)}",
        "open-mode": "append",
        "output": _word(submission.output),
    }
    words = [f"--{name}={value}" for name, value in named.items() if value is not None]
    return [*words, "--requeue", *options.get("sbatch_options", ())]


def _word(text: str) -> str:
    return f'"{text}"' if " " in text else text


def _body(run: RunDir, submission: SubmissionDir, launch: dict[str, Any], options: dict[str, Any]) -> list[str]:
    python, supervisor = shlex.quote(sys.executable), shlex.quote(str(_SUPERVISOR))
    modules = [f"module load {shlex.quote(name)}" for name in options.get("modules", ())]
    return [
        "",
        f"# Run {run.run_id}. Nothing starts here unless a person has approved its launch: the supervisor",
        "# recomputes the hash and the bytes of every input on this node first. Then it starts, on each node",
        "# by srun and again after a failure as the approved policy says:",
        "#",
        *_commented(launch),
        "#",
        "# USR1, before the time limit or at a preemption: save, stop, and go back into the queue or go on in a",
        "# further job. A second job of this script finds the first one and ends.",
        "set -euo pipefail",
        *modules,
        f"run_dir={shlex.quote(str(run.path))}",
        f"python={python}",
        f"supervisor={supervisor}",
        'for path in "$run_dir" "$python" "$supervisor"; do',
        '    if [ ! -e "$path" ]; then',
        '        echo "$(hostname) does not see $path: it must lie on a file system that all nodes share" >&2',
        "        exit 1",
        "    fi",
        "done",
        f'exec "$python" -I -S "$supervisor" batch "$run_dir" {submission.number}',
    ]


def _commented(launch: dict[str, Any]) -> list[str]:
    """Return the command as comment lines of a bearable length."""
    lines, line = [], "#   "
    for word in [launch["interpreter"], *launch["argv"]]:
        quoted = shlex.quote(word.replace("\n", " "))
        if len(line) + len(quoted) > _LINE_CHARS and line.strip("# "):
            lines.append(line + " \\")
            line = "#      "
        line += " " + quoted
    # a backslash at the end of a comment continues nothing, but reads as the command would
    return [*lines, line]
