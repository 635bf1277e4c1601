"""Model state in bytes: the arithmetic behind "how much memory does it take".

Weights, gradients and optimizer state only, decimal GB (10^9 bytes) as engineers speak.
Activations and everything transient are left to the estimator, and the answer says so.
"""

import re
from dataclasses import dataclass

STATE_CARD = "model-state-bytes"
"""The card whose claim the arithmetic applies."""

_GB = 1e9
_NUMBER = r"(\d{1,4}(?:[.,]\d+)?)"
_PARAMETERS = re.compile(
    _NUMBER + r"[\s-]*(b|bn|billion|milliarder|mia|m|million|millioner)\b",
    re.IGNORECASE,
)
_GPUS = re.compile(
    r"\b(\d{1,5})\s*(?:x\s*)?(?:[\w-]+\s+){0,2}?(?:gpus?|gpu'er|gpuer|ranks|[habl]\d{2,3}s?|cards|kort)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(how (?:much|many|big)|what|need|budget|estimate|per gpu|fit|hvor (?:meget|mange|stor)|pr\.? gpu|beregn)\b",
    re.IGNORECASE,
)
_MEMORY = re.compile(r"\b(memory|gb|gib|vram|bytes?|model state|optimizer state|hukommelse\w*|ram)\b", re.IGNORECASE)

# (pattern, bytes per parameter, how the bytes come about); the first that matches
_RECIPES = (
    (r"\bqlora\b|\b4[- ]?bit\b", 0.5, "4-bit frozen weights 0.5; the adapters are small"),
    (r"\blora\b|\bfrozen\b|\bpeft\b", 2.0, "bf16 frozen weights 2; the adapters are small"),
    (r"\binference\b|\bserv|\bgenerat", 2.0, "bf16 weights 2, no gradients and no optimizer"),
    (r"\b8[- ]?bit adam|\badam8bit|\badamw8bit", 10.0, "fp32 weights 4, fp32 gradients 4, 8-bit moments 2"),
    (
        r"\b(?:pure|all|everything in|entirely in|rent) bf16|bf16 throughout",
        8.0,
        "bf16 weights 2, gradients 2, moments 4",
    ),
    (r"\bsgd\b.{0,25}\bmomentum\b", 12.0, "fp32 weights 4, fp32 gradients 4, momentum 4"),
    (r"\bsgd\b", 8.0, "fp32 weights 4, fp32 gradients 4, no moments"),
    (r"", 16.0, "fp32 weights 4, fp32 gradients 4, two fp32 Adam moments 8"),
)


@dataclass(frozen=True)
class ModelState:
    """Model state of one training job, before anything transient."""

    parameters: float
    """Parameters of the model."""
    bytes_per_parameter: float
    """Weights, gradients and optimizer state together, in bytes."""
    gpus: int | None
    """GPUs that share it; None where the question names none."""
    made_of: str
    """How the bytes come about."""

    @property
    def total_gb(self) -> float:
        """Whole state in GB (10^9 bytes)."""
        return self.parameters * self.bytes_per_parameter / _GB

    @property
    def per_gpu_gb(self) -> float | None:
        """State of one GPU under full sharding, in GB (10^9 bytes)."""
        return None if self.gpus is None else self.total_gb / self.gpus

    def sentence(self) -> str:
        """Return the arithmetic as a sentence."""
        text = (
            f"{_short(self.parameters / _GB)} billion parameters x {_short(self.bytes_per_parameter)} bytes "
            f"({self.made_of}) = {_short(self.total_gb)} GB of model state in total"
        )
        if self.gpus is not None and self.per_gpu_gb is not None:
            text += f", {_short(self.per_gpu_gb)} GB per GPU when fully sharded over {self.gpus} GPUs"
        return text + "."


def model_state(question: str) -> ModelState | None:
    """Return the model state that a question asks for; None where it asks for something else.

    It has to ask for memory and name the number of parameters.

    Args:
        question: The question, in English or Danish.
    """
    size = _PARAMETERS.search(question)
    if size is None or not _ASKS.search(question) or not _MEMORY.search(question):
        return None
    scale = _GB if size[2].lower()[0] == "b" or size[2].lower() in ("milliarder", "mia") else 1e6
    bytes_per_parameter, made_of = next(
        (count, text) for pattern, count, text in _RECIPES if re.search(pattern, question, re.IGNORECASE)
    )
    gpus = _GPUS.search(question[size.end() :]) or _GPUS.search(question[: size.start()])
    count = int(gpus[1]) if gpus and int(gpus[1]) > 0 else None
    return ModelState(float(size[1].replace(",", ".")) * scale, bytes_per_parameter, count, made_of)


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"
