"""Question: what a configuration is searched for."""

from dataclasses import dataclass

from contracts.need import Need
from contracts.request import Language, Request
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.predict import Machine

RECIPE_NAMES = {
    "ac": "activation_checkpointing",
    "reshard_after_forward": "reshard_after_forward",
    "cpu_offload": "cpu_offload",
    "dp_replicate": "dp_replicate",
    "micro_batch": "micro_batch",
    "seq_len": "seq_len",
}
"""Knobs of a setup by their names in a recipe."""


@dataclass(frozen=True)
class Question:
    """What a selection is made for."""

    request: Request
    """What was asked."""
    need: Need | None
    """The need gate's verdict, where there is one."""
    shape: ModelShape
    """The model."""
    ranks: int
    """Ranks in all."""
    machine: Machine | None
    """GPU and links; None on device cpu and for an unknown GPU."""
    capacity_gib: float | None
    """Memory of a device; None where it is not known."""

    @property
    def language(self) -> Language:
        """Language of the reasons."""
        return self.request.language or "en"

    @property
    def open(self) -> bool:
        """Whether a plan is asked for, rather than a run of what the request states.

        Then batch, replicas and resharding may be chosen as well.
        """
        planned = self.request.intent or (self.need.intent if self.need else None)
        return planned == "plan" or "aim" in self.request.model_fields_set

    @property
    def per_node(self) -> int:
        """Ranks of one machine."""
        return self.machine.fabric(self.ranks).per_node if self.machine else self.ranks
