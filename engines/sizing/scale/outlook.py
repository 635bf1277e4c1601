"""Outlook: mesh, scaling, checkpoints and cost of a plan for several machines."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.plan import Decision
from contracts.request import Language
from contracts.scale import Scale
from engines.sizing.scale.curve import MOST_GPUS, curve, doublings, most_useful, says, turns_over
from engines.sizing.scale.meshes import Mesh, Place, measure, meshes
from engines.sizing.scale.reasons import mesh_arithmetic, mesh_because
from engines.sizing.scale.saving import checkpointing_of
from engines.sizing.search.question import Question
from engines.sizing.setup import TrainingSetup
from engines.sizing.texts import say
from engines.sizing.throughput.predict import speed_of

_FURTHER = 4
"""A plan's curve goes to so many times its machines."""

_SECONDS_PER_HOUR = 3600


def outlook(question: Question, setup: TrainingSetup, tokens: int | None) -> Scale | None:
    """Return what a plan for several machines adds; None where it has one machine, or the GPU is not known.

    Args:
        question: What the plan is for.
        setup: The chosen settings.
        tokens: Tokens to train on, where they are known.
    """
    machine, language = question.machine, question.language
    if machine is None or setup.device != "cuda":
        return None
    per_node = machine.fabric(setup.ranks).per_node
    nodes = setup.ranks // per_node
    if nodes < 2:
        return None
    aim = question.request.aim
    place = Place(replace(machine, nodes=nodes), question.capacity_gib, aim.margin_pct)
    found = meshes(question.shape, setup, place)
    taken = _taken(found, setup)
    for mesh in found:
        measure(question.shape, mesh, place, hopeless=True)  # one configuration has one peak, wherever it is shown
    counts = doublings(1, min(_FURTHER * nodes, MOST_GPUS // per_node), (nodes,))
    points = curve(question.shape, setup, place, aim.reliability, counts)
    speed = speed_of(question.shape, setup, place.machine)
    saving = checkpointing_of(question.shape, setup, nodes, aim.reliability, speed.step_s, language)
    made = Scale(
        meshes=tuple(mesh.contract(chosen=mesh is taken) for mesh in found),
        mesh_because=mesh_because(taken, found, place, language),
        curve=points,
        most_nodes=most_useful(points).nodes,
        turns_over=turns_over(points),
        says=says(points, language),
        checkpointing=saving,
        arithmetic=mesh_arithmetic(question.shape, found, per_node, language),
    )
    total = aim.tokens or tokens
    if not total:
        return made
    return _billed(made, question, total, speed.tokens_per_s_per_gpu, setup.ranks)


def scale_decisions(scale: Scale, language: Language) -> tuple[Decision, ...]:
    """Return mesh and checkpoint interval as choices of a plan, with their reasons."""
    taken = next(mesh for mesh in scale.meshes if mesh.chosen)
    decisions = [
        Decision(
            choice=say("mesh", language, copies=taken.dp_replicate, shard=taken.shard_ranks),
            because=scale.mesh_because,
            cards=("hsdp-or-full-sharding", "communication-volume"),
        )
    ]
    if scale.checkpointing is not None:
        saving = scale.checkpointing
        decisions.append(
            Decision(
                choice=f"checkpoint_every={saving.interval_steps}",
                because="; ".join(saving.arithmetic[:4]),
                cards=("checkpoint-interval", "checkpoint-size"),
            )
        )
    return tuple(decisions)


def _taken(found: Sequence[Mesh], setup: TrainingSetup) -> Mesh:
    """Return the mesh of the plan among those that there are."""
    same = [mesh for mesh in found if mesh.setup.dp_replicate == setup.dp_replicate and mesh.kind != "reshard_to_node"]
    assert same or found, "full sharding is always there"
    return (same or list(found))[0]


def _billed(made: Scale, question: Question, tokens: int, tokens_per_s: float, ranks: int) -> Scale:
    assert made.checkpointing is not None, "it was worked out"
    useful, price = made.checkpointing.useful_pct / 100, question.request.aim.price_per_gpu_hour
    hours = tokens / (tokens_per_s * ranks) / _SECONDS_PER_HOUR / useful
    gpu_hours = hours * ranks
    values = {"tokens": tokens, "speed": tokens_per_s, "useful": useful, "hours": hours, "gpu_hours": gpu_hours}
    text = say("billed", question.language, ranks=ranks, **values)
    cost = None if price is None else gpu_hours * price
    if cost is not None:
        text += say("billed_cost", question.language, price=price, cost=cost)
    return made.model_copy(
        update={"hours": hours, "gpu_hours": gpu_hours, "cost": cost, "arithmetic": (*made.arithmetic, text)}
    )
