"""What each operation takes, over HTTP and MCP alike. The field docstrings are the schemas' descriptions."""

from typing import Any, Literal

from pydantic import Field

from contracts.base import Contract

_TEXT = 200_000
"""Characters of a text that a caller may send."""
_FILES = 50


class Paged(Contract):
    """An operation whose result may be longer than one answer."""

    part: str | None = Field(default=None, max_length=40)
    """A field of the result to page through; leave out for the overview."""
    offset: int = Field(default=0, ge=0)
    """Entries (or characters) of that part seen already."""


class AssessInput(Paged):
    """Whether a request is a case for FSDP."""

    text: str = Field(min_length=1, max_length=_TEXT)
    """The request in plain words, English or Danish."""


class PlanInput(Paged):
    """Which FSDP configuration to use."""

    text: str = Field(default="", max_length=_TEXT)
    """The request in plain words; or give the fields below."""
    model: str | None = Field(default=None, max_length=500)
    """Known model name such as Llama-3-8B, or folder with config.json."""
    gpus: int | None = Field(default=None, ge=0)
    """GPUs in all."""
    gpu: str | None = Field(default=None, max_length=100)
    """GPU type such as H100."""
    nodes: int | None = Field(default=None, ge=1)
    """Machines."""
    seq_len: int | None = Field(default=None, ge=1)
    """Tokens per sequence."""
    micro_batch: int | None = Field(default=None, ge=1)
    """Sequences per GPU and step."""
    method: Literal["full", "lora", "qlora"] | None = None
    """Which weights are trained."""


class EstimateInput(Paged):
    """Peak memory of one rank."""

    model: str = Field(max_length=500)
    """Known model name, or folder with config.json."""
    gpu: str | None = Field(default=None, max_length=100)
    """GPU type, to judge whether it fits."""
    settings: dict[str, Any] = Field(default={})
    """ranks, seq_len, micro_batch, precision and so on."""


class ReviewInput(Paged):
    """Code, configuration or launch scripts to check."""

    files: dict[str, str] = Field(default={}, max_length=_FILES)
    """Content by file name, e.g. {"train.py": "..."}."""
    paths: tuple[str, ...] = Field(default=(), max_length=_FILES)
    """Or files and folders on this machine."""
    torch: str | None = Field(default=None, max_length=40)
    """Version of torch the code is for."""


class DiagnoseInput(Paged):
    """What is left of a failed or hanging job."""

    text: str = Field(default="", max_length=_TEXT)
    """Log lines, a traceback, or what was seen."""
    files: dict[str, str] = Field(default={}, max_length=_FILES)
    """Or logs by file name."""
    paths: tuple[str, ...] = Field(default=(), max_length=_FILES)
    """Or files and folders on this machine."""
    run_id: str | None = Field(default=None, pattern=r"^r-[0-9a-f]{12}$")
    """Or a run of this agent."""
    torch: str | None = Field(default=None, max_length=40)
    """Version of torch in use."""


class AskInput(Paged):
    """A question about FSDP."""

    question: str = Field(min_length=1, max_length=_TEXT)
    """In English or Danish."""
    torch: str | None = Field(default=None, max_length=40)
    """Version of torch that is meant."""
    study: bool = False
    """Weigh configurations: estimates, dry runs, and trials that a person approves."""
    request: dict[str, Any] = Field(default={})
    """Of a study: model {name or path}, hardware {gpus, gpu_type, nodes}, recipe {seq_len}, data, dry_runs."""
    key: str | None = Field(default=None, min_length=1, max_length=200)
    """Of a study: a new key makes it anew; else the same question is the same study."""


class StartInput(Contract):
    """A job to be started once a person has approved it."""

    request: dict[str, Any]
    """A request as in a request file: intent "run", model.path, data.train, hardware, recipe; or script.
    Intent "plan" with trials: 3 measures the 3 best configurations."""
    key: str = Field(min_length=1, max_length=200)
    """Idempotency key of yours: the same key never starts a second job."""


class StatusInput(Paged):
    """Where a thread or a run stands."""

    id: str = Field(pattern=r"^[tr]-[0-9a-f]{12}$")
    """Thread (t-...) or run (r-...)."""


class ReadInput(Contract):
    """What a thread or a run wrote."""

    id: str = Field(pattern=r"^[tr]-[0-9a-f]{12}$")
    """Thread (t-...) for report, run (r-...) for events and logs."""
    what: Literal["report", "events", "logs"]
    """Which of its texts."""
    offset: int = Field(default=0, ge=0)
    """Where to go on: next_offset of the page before."""


class ListInput(Contract):
    """Your runs, the newest first."""

    offset: int = Field(default=0, ge=0)
    """Runs seen already."""


class RunInput(Contract):
    """One run."""

    run_id: str = Field(pattern=r"^r-[0-9a-f]{12}$")
    """Run id."""


class DecideInput(Contract):
    """A person's decision on one launch."""

    launch_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    """All 64 digits."""
    decision: Literal["approve", "reject"]
    """What the person says."""
    reason: str = Field(default="", max_length=2000)
    """Recorded with it."""
    thread_id: str | None = Field(default=None, max_length=64)
    """Which thread, where several ask for this launch."""
