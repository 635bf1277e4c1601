"""The bundle: files that a plan writes, and the LaunchRequest that names them.

A bundle is addressed by its content (`plans/<plan_id>/`), so writing it again is
harmless. The payload is copied into it: an upgrade of the agent does not change what
was approved, and a run can be resumed long after.
"""

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from contracts.canonical import content_hash
from contracts.errors import RequestInvalid
from contracts.launch import (
    InputDigest,
    JobKind,
    LaunchRequest,
    LaunchResources,
    ResourceLimits,
    RestartPolicy,
    WatchLimits,
)
from contracts.recipe import Recipe
from contracts.request import Request
from runners.bundle_files import json_file, write_bundle
from runners.cluster import cluster_environment, cluster_ranks, place_inputs
from runners.endurance import restart_policy, watch_limits
from runners.home import Home
from runners.inputs import count_examples, digest, max_positions, model_files, refuse_secrets
from runners.launching import (
    CODE_VARIABLES,
    approved_values,
    check_interpreter,
    check_ranks,
    job_constants,
    job_resources,
    torchrun_arguments,
)
from runners.mended import Mended, bundled, checkpoint_inputs, patched_script
from runners.script_job import FIRST_STEP, HEARTBEAT, importable_beside, script_environment, script_job
from runners.texts import say

_PAYLOAD = Path(__file__).parent / "payload"
_SCRIPT_LIMITS = WatchLimits(log_s=1800.0)
"""A script that gives no heartbeat is watched by its logs: half an hour of silence is a hang."""


@dataclass(frozen=True)
class PreparedLaunch:
    """A launch whose files are written and whose inputs were read through."""

    plan_id: str
    """First 12 hex digits of the bundle's content hash."""
    launch: LaunchRequest
    """What a person is asked to approve."""
    artifacts: tuple[str, ...]
    """Absolute paths of the files that were written."""
    warnings: tuple[str, ...]
    """What is unusual but allowed."""


def prepare_launch(
    request: Request,
    recipe: Recipe,
    home: Home,
    interpreter: str | None = None,
    *,
    peak_gib: float | None = None,
    minutes: float | None = None,
    mended: Mended | None = None,
) -> PreparedLaunch:
    """Check what a job will read, write its bundle, and return its launch.

    Args:
        request: What was asked; `script` makes a `script` job, else the built-in recipe.
        recipe: The resolved settings.
        home: The agent's home folder.
        interpreter: Python of the training environment, where the request names none.
        peak_gib: Predicted peak memory per rank in GiB, shown to the approver.
        minutes: Predicted duration in minutes, shown to the approver.
        mended: What was changed after a run that failed, beside the request.

    Raises:
        RequestInvalid: Something in the request cannot be run here.
        FileUnreadable: A file of the request is missing or cannot be read.
        RunFolderUnwritable: The bundle cannot be written.
    """
    refuse_secrets(named_paths(request), home.secrets)
    python = _interpreter(request, interpreter or sys.executable)
    ranks, warnings = checked_ranks(request, recipe)
    changes = mended or Mended()
    if request.script is not None:
        kind, files, inputs, call, workdir = _script_job(request, ranks, warnings, changes.texts)
    else:
        kind, files, inputs, call, workdir = _train_job(request, recipe, ranks, changes.resume_from)
    refuse_secrets((Path(entry.path) for entry in inputs), home.secrets)  # also what only an argument names
    folder = _written(home, files, inputs, call)
    env = _environment(request, ranks, {**changes.env})
    launch = LaunchRequest(
        kind=kind,
        interpreter=python,
        argv=tuple(part.replace("{bundle}", str(folder)) for part in call),
        workdir=workdir or str(folder),
        env=script_environment(env, folder, request.script if changes.texts else None) if kind == "script" else env,
        env_passed=tuple(dict.fromkeys(name for name in request.env_passed if name not in CODE_VARIABLES)),
        resources=_resources(request, ranks),
        writes=("{run_dir}",),
        inputs=(*inputs, *(bundled(folder, name) for name in files), *place_inputs(home, python, request.slurm)),
        importable={} if request.script is None else importable_beside(request.script, inputs),
        restart=request.restart or (restart_policy(minutes) if kind == "train" else RestartPolicy()),
        watch=request.watch or (_limits(inputs, recipe, minutes) if kind == "train" else _SCRIPT_LIMITS),
        limits=request.limits or ResourceLimits(),
        slurm=request.slurm,
        estimated_peak_gib=peak_gib,
        estimated_minutes=minutes,
    )
    return PreparedLaunch(folder.name, launch, tuple(str(folder / name) for name in files), tuple(warnings))


def _written(home: Home, files: dict[str, bytes], inputs: list[InputDigest], call: list[str]) -> Path:
    """Write the bundle and return its folder, whose name follows from the content."""
    contents = {name: hashlib.sha256(body).hexdigest() for name, body in files.items()}
    plan_id = content_hash({"files": contents, "inputs": [entry.sha256 for entry in inputs], "argv": call})[:12]
    write_bundle(home.plans / plan_id, files)
    return home.plans / plan_id


def _interpreter(request: Request, otherwise: str) -> str:
    contained = request.slurm is not None and request.slurm.container_image is not None
    python = request.interpreter or otherwise
    return python if contained else check_interpreter(python)  # a container's own cannot be looked at from here


def _resources(request: Request, ranks: int) -> LaunchResources:
    hardware, nodes = request.hardware, _nodes(request)
    gpus = hardware.gpus if ranks == 1 and hardware.nodes == 1 else None
    return job_resources(hardware.device, ranks, hardware.cores, gpus, nodes)


def _environment(request: Request, ranks: int, changes: dict[str, str]) -> dict[str, str]:
    hardware = request.hardware
    env = job_constants(hardware.device, ranks, hardware.cores) | approved_values(request.env_passed)
    if request.slurm is not None:
        env = cluster_environment(env, request.slurm, ranks, hardware.cores)
    return env | changes


def _nodes(request: Request) -> int | None:
    """Return the nodes of a job on a cluster; None for one on this machine."""
    return None if request.slurm is None else request.hardware.nodes


def named_paths(request: Request) -> list[Path]:
    """Return every path that a request names."""
    script = request.script
    names = [request.interpreter, request.model and request.model.path, script and script.path]
    names += [*script.inputs] if script else []
    names += [request.data.train, request.data.eval] if request.data else []
    return [Path(name) for name in names if name]


_Job = tuple[JobKind, dict[str, bytes], list[InputDigest], list[str], str | None]


def _train_job(request: Request, recipe: Recipe, ranks: int, resume_from: str | None) -> _Job:
    if request.method in ("lora", "qlora"):
        raise RequestInvalid(
            f"the built-in recipe trains all weights; method {request.method!r} is planned, not run",
            hint="give your own script for LoRA",
        )
    if request.optimizer not in (None, "adamw"):
        raise RequestInvalid(
            f"the built-in recipe trains with AdamW; optimizer {request.optimizer!r} is planned, not run",
            hint="give a script of your own for it",
        )
    if request.model is None or request.model.path is None:
        raise RequestInvalid("a run needs model.path, a Hugging Face folder with weights")
    if request.data is None:
        raise RequestInvalid("a run needs data.train, a JSONL file")
    model = Path(request.model.path).absolute()
    inputs = [digest("model", path) for path in model_files(model)]
    longest = max_positions(model)
    if longest is not None and recipe.seq_len > longest:
        raise RequestInvalid(f"recipe.seq_len {recipe.seq_len} is above the model's max_position_embeddings {longest}")
    manifest = []
    for name in filter(None, (request.data.train, request.data.eval)):
        path = Path(name).absolute()
        examples = count_examples(path)
        entry = digest("data", path)
        inputs.append(entry)
        manifest.append({"path": entry.path, "sha256": entry.sha256, "examples": examples})
    config = {
        "model": str(model),
        "train_data": str(Path(request.data.train).absolute()),
        "eval_data": str(Path(request.data.eval).absolute()) if request.data.eval else None,
        "device": request.hardware.device,
        "recipe": recipe.model_dump(mode="json"),
    }
    if resume_from is not None:
        config["resume_from"] = resume_from
        inputs += checkpoint_inputs(Path(resume_from))
    files = {path.name: path.read_bytes() for path in sorted(_PAYLOAD.glob("fsdp_sft*.py"))}
    files |= {"config.json": json_file(config), "data_manifest.json": json_file({"files": manifest})}
    call = [*torchrun_arguments(ranks, _nodes(request)), "{bundle}/fsdp_sft.py", "--config", "{bundle}/config.json"]
    return "train", files, inputs, call, None


def _limits(inputs: list[InputDigest], recipe: Recipe, minutes: float | None) -> WatchLimits:
    weights = sum(entry.size_bytes for entry in inputs if entry.role == "model")
    return watch_limits(weights, None if minutes is None else minutes * 60 / recipe.steps)


def _script_job(request: Request, ranks: int, warnings: list[str], texts: Mapping[str, str]) -> _Job:
    script = request.script
    assert script is not None, "only a request with a script is made a script job"
    job = script_job(script, ranks, _nodes(request), request.language)
    warnings += job.warnings
    ours = (HEARTBEAT, FIRST_STEP) if script.first_step_check else (HEARTBEAT,)
    files = {name: (_PAYLOAD / name).read_bytes() for name in ours}
    if not texts:
        return "script", files, job.inputs, job.argv, str(job.workdir)
    copies, inputs, argv = patched_script(job, texts)
    return "script", files | copies, inputs, argv, str(job.workdir)


def checked_ranks(request: Request, recipe: Recipe) -> tuple[int, list[str]]:
    """Return the ranks of a job on this machine or on each node, and what is unusual about them.

    Raises:
        RequestInvalid: They cannot run here.
    """
    hardware = request.hardware
    if request.slurm is not None:
        return cluster_ranks(request, recipe)
    if hardware.nodes > 1:
        raise RequestInvalid(
            say("one_machine", request.language, nodes=hardware.nodes),
            hint=say("one_machine_hint", request.language),
        )
    direct = request.script is not None and request.script.launcher == "direct"
    ranks = hardware.ranks or (1 if direct else hardware.gpus) or 1
    asked = max(ranks, hardware.gpus or 1) if direct else ranks
    warnings = check_ranks(asked, hardware.device, request.language)
    if ranks % recipe.dp_replicate:
        raise RequestInvalid(say("replicas_uneven", request.language, ranks=ranks, copies=recipe.dp_replicate))
    return ranks, warnings
