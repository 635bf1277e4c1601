"""The questions by name, and the way to an answer."""

from importlib import import_module
from typing import Any

from contracts.errors import InputError
from contracts.whatif import WhatIf
from engines.sizing.whatif.case import Case

TUNING = (
    "peak",
    "wrapping",
    "batch-size",
    "sequence-length",
    "data-parallel-size",
    "optimizer-on-cpu",
    "activation-checkpointing",
    "selective-policies",
    "unit-policies",
    "fp32-reduction",
    "mixed-precision",
    "hsdp",
    "reshard-mesh",
    "no-reshard",
)
"""The 14 questions of tuning, in the order of PyTorch's proposal."""

DEBUGGING = ("activation-modules", "unsharded-units", "checkpoint-releasing")
"""The 3 questions of debugging."""

SCALE = ("sharding-mesh", "scaling", "scaling-fixed-batch", "checkpoint-interval")
"""The 4 questions of several machines."""

QUESTIONS = (*TUNING, *DEBUGGING, *SCALE)
"""All of them; each has a module of its name."""


def asks(question: str) -> str:
    """Return a question in words.

    Raises:
        InputError: There is no such question.
    """
    words: str = _module(question).ASKS
    return words


def answer(question: str, case: Case) -> WhatIf:
    """Answer a question.

    Args:
        question: Name of the question.
        case: The configuration that it is asked about.

    Raises:
        InputError: There is no such question, or it cannot be asked of this configuration.
    """
    found: WhatIf = _module(question).answer(case)
    return found


def _module(question: str) -> Any:
    if question not in QUESTIONS:
        raise InputError(f"there is no question {question!r}", hint=f"ask one of: {', '.join(QUESTIONS)}")
    return import_module(f"engines.sizing.whatif.{question.replace('-', '_')}")
