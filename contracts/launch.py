"""LaunchRequest: exactly what will run, and the hash that a person approves."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.canonical import content_hash

JobKind = Literal["train", "script", "dryrun", "probe", "preflight", "export"]
"""What kind of work the process tree does."""

InputRole = Literal["interpreter", "script", "config", "data_manifest", "data", "model", "checkpoint"]
"""What a file is to the job."""


class InputDigest(Contract):
    """A file whose bytes are part of what is approved."""

    role: InputRole
    """What the file is to the job."""
    path: str
    """Absolute path."""
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of its bytes."""
    size_bytes: int = Field(ge=0)
    """Its size in bytes."""


class LaunchResources(Contract):
    """What the job takes of the machine."""

    nodes: int = Field(ge=1)
    """Machines."""
    ranks_per_node: int = Field(ge=1)
    """Processes on each."""
    device: Literal["cpu", "cuda"]
    """Device type of the ranks."""


class LaunchRequest(Contract):
    """A launch that can be read before it runs. Nothing in it is secret."""

    kind: JobKind
    """What kind of work it is."""
    interpreter: str
    """Absolute path of the training environment's Python."""
    argv: tuple[str, ...] = Field(min_length=1)
    """Arguments after the interpreter; no shell reads them. Two place holders are
    filled in at each start: `{run_dir}` and `{attempt_dir}`."""
    workdir: str
    """Absolute working folder."""
    env: dict[str, str] = {}
    """Variables that are set, with their values."""
    env_passed: tuple[str, ...] = ()
    """Names of variables that pass from the runner's environment; never their values."""
    resources: LaunchResources
    """What it takes of the machine."""
    writes: tuple[str, ...]
    """Folders that the job writes; `{run_dir}` among them."""
    inputs: tuple[InputDigest, ...]
    """Every file whose content is approved with the launch."""
    estimated_peak_gib: float | None = None
    """Predicted peak device memory per rank, in GiB."""
    estimated_minutes: float | None = None
    """Predicted duration in minutes; None where it was not predicted."""

    @property
    def launch_hash(self) -> str:
        """SHA-256 of the canonical JSON form, 64 hex digits."""
        return content_hash(self.model_dump(mode="json"))
