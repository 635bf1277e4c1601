"""The launch of trials: several configurations of the built-in recipe, a few steps each; and what came of them."""

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from contracts.canonical import content_hash
from contracts.errors import RequestInvalid, UnknownRun
from contracts.launch import InnerLaunch, InputDigest, LaunchRequest, ResourceLimits, RestartPolicy
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.trials import MOST_TRIALS, Trial, TrialResult
from runners.bundle import PreparedLaunch, checked_ranks, named_paths
from runners.bundle_files import bundle_digest, json_file, write_bundle
from runners.endurance import watch_limits
from runners.files import read_object
from runners.home import Home
from runners.inputs import count_examples, digest, max_positions, model_files, refuse_secrets
from runners.launching import (
    CODE_VARIABLES,
    approved_values,
    check_interpreter,
    job_constants,
    job_resources,
    refuse_crowded_trials,
    torchrun_arguments,
)
from runners.outcome import root_cause
from runners.rundir import RUN_ID, AttemptDir, RunDir

_PAYLOAD = Path(__file__).parent / "payload"
_MODULES = ("fsdp_sft*.py", "fsdp_trials*.py")
WARMUP_STEPS = 3
"""First steps of a trial that are not measured."""
MEASURED_STEPS = 8
"""Steps that are measured."""
_SHOWN = (
    "activation_checkpointing",
    "reshard_after_forward",
    "cpu_offload",
    "dp_replicate",
    "micro_batch",
    "grad_accum",
    "seq_len",
    "param_dtype",
)
"""Settings that an approver is shown of each trial."""
_SYNTHETIC_EXAMPLES = 8
_SYNTHETIC = "synthetic.jsonl"
_WORDS = ("shard", "rank", "mesh", "gather", "reduce", "block", "world", "step", "norm", "batch")
_BOOT_MINUTES = 0.5
_RESULT_BYTES = 64 << 10


def prepare_trials(
    request: Request, trials: Sequence[Trial], home: Home, interpreter: str | None = None
) -> PreparedLaunch:
    """Write the bundle of trials and return its one launch, which lists every trial.

    Args:
        request: What was asked: model folder, data and machine. Without data, sentences of the
            full length are made up: what they say makes no difference to speed and memory.
        trials: What is tried, in this order; the steps of their recipes are replaced.
        home: The agent's home folder.
        interpreter: Python of the training environment, where the request names none.

    Raises:
        RequestInvalid: The built-in recipe cannot run it here, or there is nothing to try.
        FileUnreadable: A file of the request is missing or cannot be read.
        RunFolderUnwritable: The bundle cannot be written.
    """
    if not 1 <= len(trials) <= MOST_TRIALS:
        raise RequestInvalid(f"{len(trials)} trials; 1 to {MOST_TRIALS} can be run")
    if request.script is not None:
        raise RequestInvalid("trials are of the built-in recipe; a script of your own cannot be tried")
    if request.slurm is not None:
        raise RequestInvalid("trials run on this machine; leave slurm out of the request")
    refuse_secrets(named_paths(request), home.secrets)
    python = check_interpreter(request.interpreter or interpreter or sys.executable)
    checked = [checked_ranks(request, trial.recipe) for trial in trials]
    ranks, warnings = checked[0]
    refuse_crowded_trials(ranks, request.hardware.device, request.language)
    inputs, files = _inputs(request, trials)
    recipes = {trial.label: _short(trial.recipe).model_dump(mode="json") for trial in trials}
    contents = {name: hashlib.sha256(body).hexdigest() for name, body in files.items()}
    known = {"files": contents, "inputs": [entry.sha256 for entry in inputs], "recipes": recipes, "ranks": ranks}
    plan_id = content_hash(known | {"device": request.hardware.device})[:12]
    folder = home.plans / plan_id
    launches = tuple(_inner(trial, ranks, folder) for trial in trials)
    files = {"trials.json": json_file(_asked(launches, inputs, ranks))} | files
    for label, recipe in recipes.items():
        files[f"{label}.json"] = json_file(_config(request, recipe, folder))
    write_bundle(folder, files)
    hardware = request.hardware
    launch = LaunchRequest(
        kind="trials",
        interpreter=python,
        argv=(str(folder / "fsdp_trials.py"), "--trials", str(folder / "trials.json")),
        workdir=str(folder),
        env=job_constants(hardware.device, ranks, hardware.cores) | approved_values(request.env_passed),
        env_passed=tuple(dict.fromkeys(name for name in request.env_passed if name not in CODE_VARIABLES)),
        launches=launches,
        resources=job_resources(hardware.device, ranks, hardware.cores, hardware.gpus if ranks == 1 else None),
        writes=("{run_dir}",),
        inputs=(digest("interpreter", Path(python)), *inputs, *(_digest(folder / name) for name in files)),
        restart=request.restart or RestartPolicy(),
        limits=request.limits or ResourceLimits(),
        estimated_peak_gib=max((t.predicted_reserved_gib for t in trials if t.predicted_reserved_gib), default=None),
        estimated_minutes=_minutes(trials),
    )
    return PreparedLaunch(plan_id, launch, tuple(str(folder / name) for name in files), tuple(warnings))


def read_trials(home: Home, run_id: str) -> tuple[TrialResult, ...]:
    """Return what came of each trial of a run, in their order; of one that has not ended, `not_run`.

    Args:
        home: The agent's home folder.
        run_id: Id of a run of kind `trials`.

    Raises:
        UnknownRun: There is no such run, or it is of another kind.
    """
    run = RunDir(home.runs / run_id)
    try:
        assert RUN_ID.fullmatch(run_id)
        launch = LaunchRequest.model_validate(read_object(run.spec))
    except (AssertionError, ValidationError):
        raise UnknownRun(f"no run {run_id!r} in {home.runs}", hint="fsdp-agent jobs list shows all runs") from None
    if launch.kind != "trials":
        raise UnknownRun(f"{run_id} is a {launch.kind} run: it has no trials")
    return tuple(_result(run, inner.label) for inner in launch.launches)


def _inputs(request: Request, trials: Sequence[Trial]) -> tuple[list[InputDigest], dict[str, bytes]]:
    """Check what the ranks will read; return its digests, and the files of the bundle that no place is written in."""
    if request.method in ("lora", "qlora"):
        raise RequestInvalid(f"the built-in recipe trains all weights; method {request.method!r} cannot be tried")
    if request.optimizer not in (None, "adamw"):
        raise RequestInvalid(f"the built-in recipe trains with AdamW; optimizer {request.optimizer!r} cannot be tried")
    if request.model is None or request.model.path is None:
        raise RequestInvalid("trials need model.path, a Hugging Face folder with weights")
    model = Path(request.model.path).absolute()
    inputs = [digest("model", path) for path in model_files(model)]
    longest, wanted = max_positions(model), max(trial.recipe.seq_len for trial in trials)
    if longest is not None and wanted > longest:
        raise RequestInvalid(f"recipe.seq_len {wanted} is above the model's max_position_embeddings {longest}")
    files = {path.name: path.read_bytes() for pattern in _MODULES for path in sorted(_PAYLOAD.glob(pattern))}
    if request.data is None:
        files[_SYNTHETIC] = _sentences(wanted)
    else:
        data = Path(request.data.train).absolute()
        count_examples(data)
        inputs.append(digest("data", data))
    return inputs, files


def _sentences(seq_len: int) -> bytes:
    """Return examples that fill a sequence: a tokenizer makes one token of a word at least."""
    lines = []
    for start in range(_SYNTHETIC_EXAMPLES):
        words = (_WORDS[(start + 3 * place) % len(_WORDS)] for place in range(seq_len + 1))
        lines.append(json.dumps({"text": " ".join(words)}))
    return ("\n".join(lines) + "\n").encode()


def _short(recipe: Recipe) -> Recipe:
    """Return a recipe that trains a few steps and keeps nothing."""
    steps = WARMUP_STEPS + MEASURED_STEPS
    silent = {"eval_every": 0, "checkpoint_every": 0, "export": False, "async_checkpoints": False}
    return recipe.model_copy(update={"steps": steps, "warmup_steps": 0, "log_every": 1, **silent})


def _inner(trial: Trial, ranks: int, folder: Path) -> InnerLaunch:
    place = f"{{run_dir}}/trials/{trial.label}"
    words = [word.replace("{attempt_dir}", place) for word in torchrun_arguments(ranks)]
    settings = {name: getattr(trial.recipe, name) for name in _SHOWN} | {"steps": _short(trial.recipe).steps}
    return InnerLaunch(
        label=trial.label,
        argv=(*words, str(folder / "fsdp_sft.py"), "--config", str(folder / f"{trial.label}.json")),
        settings=settings,
    )


def _asked(launches: Sequence[InnerLaunch], inputs: list[InputDigest], ranks: int) -> dict[str, Any]:
    """Return what the payload is told: the very arguments that the approval lists, and when a trial counts as hung."""
    limits = watch_limits(sum(entry.size_bytes for entry in inputs if entry.role == "model"), None)
    return {
        "trials": [{"label": one.label, "argv": list(one.argv)} for one in launches],
        "ranks": ranks,
        "warmup": WARMUP_STEPS,
        "boot_s": limits.boot_s,
        "step_s": limits.step_s,
    }


def _config(request: Request, recipe: dict[str, Any], folder: Path) -> dict[str, Any]:
    assert request.model is not None
    assert request.model.path is not None
    data = folder / _SYNTHETIC if request.data is None else Path(request.data.train).absolute()
    return {
        "model": str(Path(request.model.path).absolute()),
        "train_data": str(data),
        "eval_data": None,
        "device": request.hardware.device,
        "recipe": recipe,
        "trial": True,
    }


def _digest(path: Path) -> InputDigest:
    return digest("data", path) if path.name == _SYNTHETIC else bundle_digest(path)


def _minutes(trials: Sequence[Trial]) -> float | None:
    """Return the predicted duration of all trials in minutes; None where a speed is not known."""
    minutes = 0.0
    for trial in trials:
        if not trial.predicted_tokens_per_s_per_gpu:
            return None
        recipe = _short(trial.recipe)
        tokens = recipe.steps * recipe.grad_accum * recipe.micro_batch * recipe.seq_len
        minutes += tokens / trial.predicted_tokens_per_s_per_gpu / 60 + _BOOT_MINUTES
    return minutes


def _result(run: RunDir, label: str) -> TrialResult:
    """Return the result of one trial; a file that the job left broken counts as none."""
    found = read_object(run.path / "trials" / f"{label}.json", _RESULT_BYTES) or {}
    names = [name for name in TrialResult.model_fields if name in found]
    try:
        result = TrialResult.model_validate({name: found[name] for name in names} | {"label": label})
    except ValidationError:
        return TrialResult(label=label, status="not_run", reason="the run ended before it")
    code = found.get("exit_code")
    if result.status == "failed" and not result.reason and isinstance(code, int):
        return result.model_copy(update={"reason": _last_words(run, label, code)})
    return result


def _last_words(run: RunDir, label: str, exit_code: int) -> str:
    # a trial's folder is laid out as that of a start, below a folder that lies in the run's
    cause = root_cause(AttemptDir(run.path / "trials" / label), exit_code)
    words = f"{cause.who} {cause.how}"
    return f"{words}: {cause.said}" if cause.said else words
