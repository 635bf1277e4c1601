"""The launch of an export: one checkpoint of a training run, as a Hugging Face folder."""

import hashlib
import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from contracts.canonical import content_hash, file_sha256
from contracts.errors import ContentChanged, FileUnreadable, InputError, WrongState
from contracts.launch import InputDigest, LaunchRequest
from runners.bundle import PreparedLaunch
from runners.bundle_files import bundle_digest, json_file, write_bundle
from runners.checkpoints import MANIFEST, list_checkpoints, manifest_files
from runners.files import read_object
from runners.home import Home
from runners.inputs import digest, model_files, refuse_secrets
from runners.launching import (
    approved_values,
    check_interpreter,
    check_ranks,
    job_constants,
    job_resources,
    torchrun_arguments,
)
from runners.rundir import RunDir

_PAYLOAD = Path(__file__).parent / "payload"


def prepare_export(home: Home, run_id: str, step: int | None, target: Path) -> PreparedLaunch:
    """Write the bundle of an export and return its launch: interpreter, ranks and device are the training's.

    Args:
        home: The agent's home folder.
        run_id: Id of a run of the built-in recipe; it must exist.
        step: Step of the checkpoint; the newest whole one where None.
        target: Folder to write; it must not exist.

    Raises:
        WrongState: The run is of another kind, or has no such checkpoint.
        InputError: The target exists, or has no folder to lie in.
        FileUnreadable: The model folder or the training's configuration is gone.
        ContentChanged: The training's configuration is no longer what was approved.
        RunFolderUnwritable: The bundle cannot be written.
    """
    run = RunDir(home.runs / run_id)
    training = _training(run)
    if training.kind != "train":
        raise WrongState(f"{run_id} is a {training.kind} run: only checkpoints of the built-in recipe can be exported")
    target = _free_target(home, target)
    checkpoint = _chosen(run, step)
    config = _training_config(training)
    asked = {name: config[name] for name in ("model", "device", "recipe")}
    files = {path.name: path.read_bytes() for path in sorted(_PAYLOAD.glob("fsdp_sft*.py"))}
    files["fsdp_export.py"] = (_PAYLOAD / "fsdp_export.py").read_bytes()
    files["config.json"] = json_file(asked | {"checkpoint": str(checkpoint), "target": str(target)})
    plan_id = content_hash({name: hashlib.sha256(body).hexdigest() for name, body in files.items()})[:12]
    folder = home.plans / plan_id
    write_bundle(folder, files)
    python = check_interpreter(training.interpreter)
    ranks, device = training.resources.ranks_per_node, training.resources.device
    warnings = check_ranks(ranks, device)
    launch = LaunchRequest(
        kind="export",
        interpreter=python,
        argv=(*torchrun_arguments(ranks), str(folder / "fsdp_export.py"), "--config", str(folder / "config.json")),
        workdir=str(folder),
        env=job_constants(device, ranks) | approved_values(()),
        resources=job_resources(device, ranks),
        writes=("{run_dir}", str(target)),
        inputs=(
            digest("interpreter", Path(python)),
            *(bundle_digest(folder / name) for name in files),
            *(digest("model", path) for path in model_files(Path(asked["model"]))),
            *_checkpoint_digests(checkpoint),
        ),
    )
    return PreparedLaunch(plan_id, launch, tuple(str(folder / name) for name in files), tuple(warnings))


def _training(run: RunDir) -> LaunchRequest:
    try:
        return LaunchRequest.model_validate(read_object(run.spec))
    except ValidationError:
        raise WrongState(f"{run.run_id} has no launch that can be read: {run.spec}") from None


def _free_target(home: Home, target: Path) -> Path:
    place = target.expanduser().absolute()
    refuse_secrets([place], home.secrets)
    if os.path.lexists(place):
        raise InputError(f"{place} exists; an export never replaces a folder", hint="name one that does not exist")
    if not place.parent.is_dir():
        raise InputError(f"there is no folder {place.parent} in which {place.name} could be made")
    return place


def _chosen(run: RunDir, step: int | None) -> Path:
    found = list_checkpoints(run.checkpoints)
    for entry in found:
        if step in (None, entry.step) and entry.verdict != "unverified":
            return run.checkpoints / entry.name
    wanted = "a whole checkpoint" if step is None else f"a whole checkpoint of step {step}"
    hint = f"fsdp-agent jobs checkpoints {run.run_id} shows what there is"
    raise WrongState(f"{run.run_id} does not have {wanted}", hint=hint)


def _training_config(training: LaunchRequest) -> dict[str, Any]:
    """Return the approved configuration of the training.

    Raises:
        FileUnreadable: It is gone.
        ContentChanged: It has other bytes.
    """
    entry = next(entry for entry in training.inputs if entry.role == "config")
    config = read_object(Path(entry.path))
    if config is None:
        raise FileUnreadable(f"the configuration of the training cannot be read: {entry.path}")
    if file_sha256(entry.path) != entry.sha256:
        raise ContentChanged(f"not what was approved for the training: {entry.path} has other bytes")
    return config


def _checkpoint_digests(folder: Path) -> list[InputDigest]:
    """Return the files as their manifest has them: the runner compares, before it starts anything."""
    try:
        files, _ = manifest_files(folder)
    except ValueError as problem:
        raise WrongState(f"{folder.name} is no longer a whole checkpoint: {problem}") from None
    named = [
        InputDigest(role="checkpoint", path=str(folder / name), sha256=sha, size_bytes=size)
        for name, (size, sha) in sorted(files.items())
    ]
    return [digest("checkpoint", folder / MANIFEST), *named]
