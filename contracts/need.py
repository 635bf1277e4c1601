"""Need: whether this is a case for FSDP, and why."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.request import Intent, Language, PlannedOptimizer

Verdict = Literal["use_fsdp", "not_needed", "wait", "out_of_scope"]
"""use_fsdp: a case for this specialist; not_needed: one GPU, LoRA or DDP does it;
wait: no multi-GPU training is planned yet; out_of_scope: not this specialist's work."""

ReasonCode = Literal[
    "model_states_exceed_one_gpu",
    "activations_exceed_one_gpu",
    "needs_more_than_fsdp",
    "multi_gpu_failure",
    "fsdp_code_review",
    "distributed_question",
    "fits_one_gpu",
    "ddp_suffices",
    "lora_on_one_gpu_suffices",
    "single_gpu_only",
    "no_training_planned",
    "no_multi_gpu_hardware",
    "insufficient_information",
    "inference_only",
    "provider_choice",
    "hosted_model_use",
    "agent_or_workflow_automation",
    "explicit_run_request",
]
"""Why the verdict is what it is."""


class Reason(Contract):
    """One reason, with its arithmetic written out."""

    code: ReasonCode
    """Stable code."""
    text: str
    """The reason for a person, in the answer's language, numbers with units."""
    cards: tuple[str, ...] = ()
    """Slugs of the knowledge cards that it rests on."""


class Extracted(Contract):
    """What was read out of the request; None where it was not said."""

    model: str | None = None
    """Model as named."""
    params_b: float | None = None
    """Parameters in billions (1e9)."""
    gpus: int | None = None
    """GPUs in all, over all nodes."""
    nodes: int | None = None
    """Machines."""
    gpu_type: str | None = None
    """GPU as named."""
    gpu_mem_gb: float | None = None
    """Memory of one GPU in GB (1e9 bytes)."""
    seq_len: int | None = None
    """Tokens per sequence."""
    batch: int | None = None
    """Sequences per GPU and micro-step."""
    method: Literal["full", "lora", "qlora"] | None = None
    """Which weights are trained."""
    optimizer: PlannedOptimizer | Literal["lion"] | None = None
    """Optimizer, where one is stated; what is planned for where none is: AdamW."""


class MissingInput(Contract):
    """An input that was not given, and what is assumed for it."""

    code: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Stable code, such as `batch_per_gpu`."""
    question: str
    """The question to ask, in the answer's language."""
    assumed: str | None = None
    """The default that is used until it is answered; None: it cannot be assumed."""


class Need(Contract):
    """The verdict of the need gate."""

    intent: Intent
    """What the caller wants."""
    verdict: Verdict
    """Whether FSDP, and this specialist, are called for."""
    language: Language
    """Language of the texts below."""
    reasons: tuple[Reason, ...] = Field(min_length=1)
    """Why, the weightiest first."""
    extracted: Extracted = Extracted()
    """What was read out of the request."""
    missing: tuple[MissingInput, ...] = ()
    """What was not given."""
    notice: str = ""
    """Whether a language model's reading was compared, or why a configured one was not."""
    instead: str = ""
    """What to do instead, where the verdict is not `use_fsdp`."""
