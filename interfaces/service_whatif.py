"""The operation behind `fsdp-agent whatif`: a question of tuning, debugging or scale."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import CannotBeKnown, InputError

if TYPE_CHECKING:
    from contracts.whatif import WhatIf


def what_if(
    question: str,
    model: str,
    gpu: str | None,
    settings: dict[str, Any],
    nodes: int | None = None,
    network: str | None = None,
    reliability: dict[str, float] | None = None,
) -> "WhatIf":
    """Answer a question about a configuration.

    Args:
        question: A name of `engines.sizing.whatif.questions`.
        model: A Hugging Face folder, its config.json, or a known name.
        gpu: A known GPU such as "H100"; None: speed and fit are not judged.
        settings: Fields of `engines.sizing.setup.TrainingSetup`.
        nodes: Machines; None: as few as hold the ranks.
        network: Link between machines; None: assumed.
        reliability: Fields of `contracts.reliability.Reliability`; the others are assumed, and named.

    Raises:
        CannotBeKnown: The model, the GPU or the network is not known.
        InputError: No such question, an unreadable model, or settings that contradict each other.
    """
    from contracts.reliability import Reliability
    from engines.sizing.half_precision import settings_for
    from engines.sizing.hf_config import shape_of
    from engines.sizing.setup import make_setup
    from engines.sizing.throughput.predict import Machine
    from engines.sizing.whatif.case import Case
    from engines.sizing.whatif.questions import answer
    from engines.sizing.whatif.sequence_length import START
    from knowledge.devices import devices, find_device

    device = machine = capacity = None
    if gpu is not None:
        device = find_device(gpu)
        if device is None:
            known = ", ".join(known.name for known in devices().values())
            raise CannotBeKnown(f"the GPU {gpu!r} is not known", code="gpu_unknown", hint=f"known: {known}")
        machine, capacity = Machine(device, nodes, network), device.usable_gib
    stated = Reliability(**(reliability or {}))
    settings, assumed = settings_for(device, settings)
    if question == "sequence-length":
        settings = {"seq_len": START} | settings
    found = answer(question, Case(shape_of(model), make_setup(**settings), machine, capacity, stated))
    return found.model_copy(update={"assumptions": (*assumed, *found.assumptions)})


def draw(found: "WhatIf", path: Path) -> None:
    """Write the picture of an answer.

    Raises:
        InputError: The file cannot be written.
    """
    from engines.reporting.whatif_chart import draw_what_if

    try:
        path.write_bytes(draw_what_if(found))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


def questions() -> dict[str, str]:
    """Return every question by its name."""
    from engines.sizing.whatif.questions import QUESTIONS, asks

    return {name: asks(name) for name in QUESTIONS}
