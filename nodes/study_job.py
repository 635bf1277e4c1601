"""The job that a study is about: model, machine and settings, as far as request and question state them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contracts.errors import CannotBeKnown, InputError, RequestInvalid
from contracts.need import Extracted
from contracts.request import Language, Request
from engines.sizing.hf_config import named_shape, read_folder
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.predict import Machine
from engines.study.decompose import DEFAULT_SEQ_LEN
from engines.study.outline import Known, Outline
from knowledge.devices import find_device
from knowledge.shapes import find_shape, named_shapes
from nodes.study_stated import stated_values

_LORA_RANK = 16
_GPUS_OF_A_MACHINE = 8
_RECIPE = {
    "seq_len": "seq_len",
    "micro_batch": "micro_batch",
    "grad_accum": "grad_accum",
    "param_dtype": "param_dtype",
    "reduce_dtype": "reduce_dtype",
    "activation_checkpointing": "ac",
    "reshard_after_forward": "reshard_after_forward",
    "cpu_offload": "cpu_offload",
    "dp_replicate": "dp_replicate",
}
"""Settings of a recipe by their names in a training setup."""

_MISSING = {
    "model": (
        "which model it is{near}: model.name or model.path, --model on the command line",
        "hvilken model det er{near}: model.name eller model.path, --model på kommandolinjen",
    ),
    "gpus": (
        "how many GPUs there are in all: hardware.gpus, --gpus on the command line",
        "hvor mange GPU'er der er i alt: hardware.gpus, --gpus på kommandolinjen",
    ),
    "gpu": (
        "which GPU it is, such as H100: hardware.gpu_type, --gpu on the command line",
        "hvilken GPU det er, f.eks. H100: hardware.gpu_type, --gpu på kommandolinjen",
    ),
}
_LACKING = (
    "the question cannot be estimated before these are known: {what}",
    "spørgsmålet kan ikke beregnes, før dette vides: {what}",
)


@dataclass(frozen=True)
class Job:
    """What is trained, on what."""

    shape: ModelShape
    """The model."""
    machine: Machine | None
    """GPU and links; None on CPU ranks."""
    ranks: int
    """Ranks in all."""
    settings: dict[str, Any]
    """What is stated of the training, as fields of a training setup."""
    optimizer_on_cpu: bool = False
    """Whether AdamW runs on the CPU, with its state there."""

    @property
    def nodes(self) -> int:
        """Machines."""
        return max(1, self.ranks // self.machine.fabric(self.ranks).per_node) if self.machine else 1

    @property
    def per_node(self) -> int:
        """Ranks of one machine."""
        return self.machine.fabric(self.ranks).per_node if self.machine else self.ranks

    def setup(self) -> TrainingSetup:
        """Return the settings as the models read them.

        Raises:
            RequestInvalid: They contradict each other.
        """
        device = "cuda" if self.machine else "cpu"
        return make_setup(**{"device": device, "ranks": self.ranks, "ranks_per_node": self.per_node} | self.settings)

    def changed(self, changes: dict[str, Any]) -> "Job":
        """Return the job with the changes of an option or a condition.

        Raises:
            InputError: They are impossible here; the message says why.
        """
        job = self
        for name, value in changes.items():
            if name == "@model":
                job = replace(job, shape=named_shape(value))
            elif name == "@gpus":
                job = _resized(job, value)
            elif name == "@gpu" and (device := find_device(value)) and job.machine:
                job = replace(job, machine=replace(job.machine, device=device))
            elif name == "@network" and job.machine:
                job = replace(job, machine=replace(job.machine, network=value))
            elif name == "@optimizer_on_cpu":
                job = replace(job, optimizer_on_cpu=True)
        settings = dict(job.settings)
        for name, value in changes.items():
            if name in ("@tp", "@cp", "@pp"):
                settings[name[1:]] = value or (job.nodes if name == "@pp" and job.nodes > 1 else min(8, job.per_node))
            elif name == "@replicas":
                settings["dp_replicate"] = _replicas(job, value)
            elif not name.startswith("@"):
                settings[name] = value
        if settings.get("fsdp") == 0:
            settings |= {"dp_replicate": job.ranks, "dp_shard": 1}
        return replace(job, settings=settings)


def job_of(request: Request, said: Extracted, outline: Outline, language: Language) -> Job:
    """Return the job that a request and its question state.

    Args:
        request: What was asked, its structured fields.
        said: What the need gate read out of the text.
        outline: The question taken apart.
        language: Language of what is asked back.

    Raises:
        CannotBeKnown: Something is missing that cannot be assumed; the message names all of it.
        InputError: The model folder cannot be read, or the machines do not divide the ranks.
    """
    on_cpu = request.hardware.device == "cpu"
    shape, near = _shape(request, said, outline)
    ranks = ranks_of(request, said, outline)
    gpu = request.hardware.gpu_type or outline.fixed.get("@gpu") or _first(outline, "@gpu") or said.gpu_type
    device = find_device(gpu) if gpu and not on_cpu else None
    lacking = [] if shape else ["model"]
    lacking += [] if ranks else ["gpus"]
    lacking += [] if device or on_cpu else ["gpu"]
    if lacking or shape is None or ranks is None:
        danish = language == "da"
        what = "; ".join(_MISSING[name][danish].format(near=near) for name in lacking)
        raise CannotBeKnown(_LACKING[danish].format(what=what), code="study_inputs_missing")
    nodes = nodes_of(request, said)
    if (
        any("@gpus" in option.changes for option in outline.options)
        and "nodes" not in request.hardware.model_fields_set
    ):
        nodes = None  # where their number is weighed, what was read of machines is one of the sides
    if nodes and ranks % nodes:
        raise RequestInvalid(f"{ranks} ranks do not divide over {nodes} nodes: {ranks / nodes:.2f} on each")
    network = request.hardware.network or outline.fixed.get("@network") or _first(outline, "@network")
    machine = Machine(device, nodes, network) if device else None
    return Job(shape, machine, ranks, _settings(request, said))


def known_of(request: Request, said: Extracted, outline: Outline | None = None) -> Known:
    """Return what is known of the job before its question is taken apart."""
    ranks, nodes = ranks_of(request, said, outline), nodes_of(request, said)
    if nodes is None and ranks:
        nodes = max(1, ranks // _GPUS_OF_A_MACHINE)
    stated = request.recipe.seq_len if "seq_len" in request.recipe.model_fields_set else None
    accumulated = request.recipe.grad_accum if "grad_accum" in request.recipe.model_fields_set else None
    on_cpu = request.hardware.device == "cpu"
    return Known(ranks, nodes, stated, accumulated, on_cpu, stated_values(request))


def ranks_of(request: Request, said: Extracted, outline: Outline | None) -> int | None:
    """Return the ranks in all: as stated, as read, or the fewest that the question weighs."""
    weighed = [option.changes["@gpus"] for option in outline.options if "@gpus" in option.changes] if outline else []
    fixed = outline.fixed.get("@gpus") if outline else None
    return request.hardware.ranks or request.hardware.gpus or said.gpus or min(weighed, default=None) or fixed


def nodes_of(request: Request, said: Extracted) -> int | None:
    """Return the machines as stated or read; None: as few as hold the ranks."""
    return request.hardware.nodes if "nodes" in request.hardware.model_fields_set else said.nodes


def _shape(request: Request, said: Extracted, outline: Outline) -> tuple[ModelShape | None, str]:
    """Return the model, or None and which known ones are of the size that was said."""
    model = request.model
    if model is not None and model.path is not None:
        return read_folder(Path(model.path)), ""
    name = (model.name if model else None) or outline.fixed.get("@model") or _first(outline, "@model") or said.model
    if name and (find_shape(name) or model is not None):
        return named_shape(name), ""
    size = (model.params_b if model else None) or said.params_b
    alike = [one.name for one in named_shapes().values() if size and abs(one.params / 1e9 - size) < 0.1 * size]
    return None, f" ({' / '.join(alike[:4])}?)" if alike else ""


def _first(outline: Outline, key: str) -> Any:
    """Return the first value that is weighed; the others come with their variants."""
    variants = (*outline.options, *outline.conditions)
    return next((variant.changes[key] for variant in variants if key in variant.changes), None)


def _settings(request: Request, said: Extracted) -> dict[str, Any]:
    stated = request.recipe.model_fields_set
    settings = {ours: getattr(request.recipe, name) for name, ours in _RECIPE.items() if name in stated}
    if said.batch and "micro_batch" not in settings:
        settings["micro_batch"] = said.batch
    if settings.get("grad_accum", 1) > 1:
        settings["accumulate_unsharded"] = True
    if "reshard_after_forward" in settings:
        settings["reshard_last"] = settings["reshard_after_forward"]
    settings.setdefault("seq_len", said.seq_len or DEFAULT_SEQ_LEN)
    if request.method in ("lora", "qlora"):
        settings |= {"lora_rank": _LORA_RANK, "base_bits": 4 if request.method == "qlora" else 16}
    return settings


def _resized(job: Job, ranks: int) -> Job:
    machine = job.machine
    if machine is not None and machine.nodes is not None:
        each = job.ranks // machine.nodes
        machine = replace(machine, nodes=max(1, ranks // each) if ranks % each == 0 or ranks < each else None)
    return replace(job, ranks=ranks, machine=machine)


def _replicas(job: Job, stated: int) -> int:
    replicas = stated or job.nodes
    if replicas < 2:
        raise InputError(f"{job.ranks} ranks are one machine: there is nothing to replicate across")
    return replicas
