"""The prediction of speed for a plan: with its error, its parts and what it assumes."""

from dataclasses import dataclass

from contracts.plan import Throughput
from contracts.request import Language
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say
from engines.sizing.throughput.fabric import Fabric, fabric_of
from engines.sizing.throughput.fitted import FITTED, KIN, error_pct
from engines.sizing.throughput.rates import Rates
from engines.sizing.throughput.speed import Conditions, Speed, predict_speed
from knowledge.devices import Device


@dataclass(frozen=True)
class Machine:
    """Where a job runs."""

    device: Device
    """The GPU."""
    nodes: int | None = None
    """Machines; None: as few as hold the ranks, eight GPUs each."""
    network: str | None = None
    """Link between machines; None: assumed."""

    def fabric(self, ranks: int) -> Fabric:
        """Return the links of a job of so many ranks.

        Raises:
            CannotBeKnown: The network's name is not known.
        """
        return fabric_of(self.device, ranks, self.nodes, self.network)


def speed_of(shape: ModelShape, setup: TrainingSetup, machine: Machine, rates: Rates = FITTED) -> Speed:
    """Return the predicted step of a setup on a machine.

    Raises:
        CannotBeKnown: The network's name is not known.
    """
    device = machine.device
    if device.name in KIN:
        rates = rates.model_copy(update={"matmul": rates.matmul | {device.name: rates.matmul_share(KIN[device.name])}})
    return predict_speed(shape, setup, device, machine.fabric(setup.ranks), rates, Conditions(recent=True))


def throughput_of(
    shape: ModelShape, setup: TrainingSetup, machine: Machine, language: Language = "en", rates: Rates = FITTED
) -> Throughput:
    """Return the predicted speed in the form of a plan, its assumptions in one of the languages.

    Raises:
        CannotBeKnown: The network's name is not known.
    """
    speed = speed_of(shape, setup, machine, rates)
    return Throughput(
        tokens_per_s_per_gpu=round(speed.tokens_per_s_per_gpu, 2),
        mfu_pct=round(speed.mfu_pct, 2),
        bound_by=speed.bound_by,
        error_pct=error_pct(machine.device.name),
        step_s=round(speed.step_s, 6),
        breakdown_s=_parts(speed),
        assumptions=_assumptions(setup, machine, language),
    )


def _parts(speed: Speed) -> dict[str, float]:
    """Return the seconds by part; collectives overlap with compute, `exposed` is what remains."""
    links = speed.links
    parts = {
        "matrix_products": speed.products_s,
        "attention": speed.attention_s,
        "elementwise": speed.elementwise_s,
        "all_gather": links.gather_s,
        "reduce_scatter": links.reduce_s,
        "hsdp_all_reduce": links.replicate_s,
        "not_overlappable": links.exposed_s,
        "exposed": speed.exposed_s,
        "pipeline_bubble": speed.bubble_s,
        "between_steps": speed.between_s,
    }
    return {name: round(value, 6) for name, value in parts.items() if value}


def _assumptions(setup: TrainingSetup, machine: Machine, language: Language) -> tuple[str, ...]:
    link, name = machine.fabric(setup.ranks).assumed, machine.device.name
    said = [say("link_assumed", language, link=link.name, rate=link.gb_per_s)] if link else []
    if error_pct(name) > 40:
        said.append(say("unrecorded", language, device=name))
    said += [say("ring_waits", language)] if setup.cp > 1 else []
    said += [say("bubble", language)] if setup.pp > 1 else []
    said += [say("offload_rates", language)] if setup.cpu_offload else []
    return (*said, say("torch_recent", language))
