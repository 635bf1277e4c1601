"""Case: the configuration that a question is asked about."""

from dataclasses import dataclass, field
from typing import Any

from contracts.errors import RequestInvalid
from contracts.reliability import Reliability
from engines.sizing.scale.meshes import Place
from engines.sizing.search.option import limit_gib
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.predict import Machine

_GIB = 1 << 30
MARGIN_PCT = 8.0
"""Share of the predicted peak that must stay free on top of it for "fits", in percent."""


@dataclass(frozen=True)
class Case:
    """A model, its settings and where it runs."""

    shape: ModelShape
    """The model."""
    setup: TrainingSetup
    """How it is trained."""
    machine: Machine | None = None
    """GPU and links; None: speed is not predicted."""
    capacity_gib: float | None = None
    """Memory of a device in GiB; None: whether it fits is not judged."""
    reliability: Reliability = field(default_factory=Reliability)
    """Failures, storage and restart, for the questions of many machines."""

    def varied(self, **changes: Any) -> TrainingSetup:
        """Return the settings with some of them changed, the mesh made whole again.

        Raises:
            RequestInvalid: The changed settings contradict each other.
        """
        settings = self.setup.model_dump() | changes
        if {"ranks", "dp_replicate", "tp", "cp", "pp"} & set(changes) and "dp_shard" not in changes:
            settings.pop("dp_shard")
        return make_setup(**settings)

    def valid(self, **changes: Any) -> TrainingSetup | None:
        """Return the changed settings, or None where they contradict each other."""
        try:
            return self.varied(**changes)
        except RequestInvalid:
            return None

    @property
    def place(self) -> Place:
        """Where it runs, for a question that needs to know.

        Raises:
            RequestInvalid: The GPU is not named.
        """
        if self.machine is None:
            raise RequestInvalid("without a GPU there is no speed to scale", hint="state --gpu, such as --gpu H100")
        return Place(self.machine, self.capacity_gib, MARGIN_PCT)

    @property
    def width_arithmetic(self) -> str:
        """What one tensor of the model's width takes over all blocks, as arithmetic."""
        setup, shape = self.setup, self.shape
        size = setup.act_bytes * setup.tokens * shape.hidden * shape.layers / _GIB
        sizes = f"{setup.act_bytes} bytes x {setup.tokens:,} tokens x {shape.hidden} x {shape.layers} blocks"
        return f"{sizes} = {size:.2f} GiB"

    @property
    def limit_gib(self) -> float | None:
        """The largest reserved peak that fits with its margin, in GiB."""
        return None if self.capacity_gib is None else limit_gib(self.capacity_gib, MARGIN_PCT)
