"""Rates: the few numbers of the throughput model that are fitted, not read on a data sheet."""

from pydantic import Field

from contracts.base import Contract
from engines.sizing.throughput.fabric import Reach


class Rates(Contract):
    """What training code attains of the hardware's peaks."""

    matmul: dict[str, float]
    """Share of the dense bf16 peak that matrix products attain, by the name of the GPU."""
    matmul_elsewhere: float = Field(gt=0)
    """The same for a GPU that no recorded run names."""
    attention: float = Field(gt=0)
    """Rate of attention over that of matrix products (flash attention, forward and backward)."""
    memory: float = Field(gt=0)
    """Share of the memory bandwidth that elementwise work attains."""
    overlap: float = Field(ge=0, le=1)
    """Share of the shorter of compute and communication that the longer one hides."""
    between_steps_ms: float = Field(gt=0)
    """Host time between two steps in which the GPU idles, in milliseconds for each block:
    clipping and optimizer go through Python for every parameter tensor."""
    node_reach: float = Field(gt=0)
    """Share of the link's bandwidth that a collective attains within a machine."""
    network_reach: float = Field(gt=0)
    """The same between machines."""
    float8: float = Field(gt=0)
    """Speed of float8 products over bf16 ones, tensorwise scaling, casts included."""
    float8_rowwise: float = Field(gt=0)
    """The same with rowwise scaling."""
    deterministic: float = Field(gt=0)
    """Speed under deterministic algorithms over the speed without."""
    recent: float = Field(gt=0)
    """Compute speed of torch from 2.9 on over that of the versions before."""
    tuned: float = Field(gt=0)
    """Compute speed of a code that is tuned and compiled as a whole over torchtitan's."""

    def matmul_share(self, device: str) -> float:
        """Return the attained share of the bf16 peak of a GPU."""
        return self.matmul.get(device, self.matmul_elsewhere)

    @property
    def reach(self) -> Reach:
        """Attained shares of the links' bandwidths."""
        return Reach(self.node_reach, self.network_reach)
