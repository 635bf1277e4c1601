"""Study: a larger question, taken apart and answered from cards, estimates, dry runs and trials."""

from typing import Literal

from pydantic import Field

from contracts.answer import Citation
from contracts.base import Contract
from contracts.request import Language
from contracts.whatif import Cell, Chart, Column

PartKind = Literal["claim", "estimate", "dryrun", "trial"]
"""claim: looked up in the cards; estimate: predicted by the memory and the speed model; dryrun: steps of
the real `fully_shard` on tensors without memory; trial: a few real steps, which a person approves."""

PartStatus = Literal["answered", "waiting", "skipped", "failed"]
"""waiting: for a person's approval, or for the run; skipped: not done, the result says why."""


class Figure(Contract):
    """One number that was found out, with how far it may be off."""

    name: str
    """What it is of, such as "reserved" or "tokens_per_s_per_gpu"."""
    value: float
    """The number."""
    unit: str
    """Its unit."""
    error_pct: float | None = Field(default=None, ge=0)
    """Stated error, plus or minus, in percent; None: arithmetic without one."""


class Part(Contract):
    """One thing that had to be found out."""

    id: str = Field(pattern=r"^[cedt][0-9]+$")
    """c1 a claim, e1 an estimate, d1 a dry run, t1 a trial."""
    kind: PartKind
    """How it is found out."""
    asks: str
    """What is asked, in words."""
    option: str = ""
    """Which option it is about; empty where about all."""
    condition: str = ""
    """Under which condition."""
    settings: dict[str, str | int | float | bool] = {}
    """What was given to the model or the run, defaults left out."""
    status: PartStatus
    """What became of it."""
    result: str = ""
    """What came of it, in a sentence; why not, where it was skipped or failed."""
    figures: tuple[Figure, ...] = ()
    """The numbers."""
    fits: bool | None = None
    """Whether it fits the device with its margin; None: not judged, or too close to tell."""
    source: str = ""
    """What it rests on: the model of memory or speed, a card, a run."""


class Sentence(Contract):
    """One sentence of the conclusion."""

    text: str
    """The sentence."""
    parts: tuple[str, ...] = ()
    """Ids of the parts that it rests on."""


class Study(Contract):
    """The answer to a question that takes several configurations to answer."""

    question: str
    """What was asked."""
    language: Language
    """Language of the texts."""
    subject: str
    """Model and machines that it is about."""
    method: tuple[str, ...]
    """How the question was taken apart, and what was done with it."""
    parts: tuple[Part, ...]
    """Everything that was looked up, predicted or run."""
    columns: tuple[Column, ...] = ()
    """Columns of the table, in order."""
    rows: tuple[dict[str, Cell], ...] = ()
    """An option under a condition for each row."""
    charts: tuple[Chart, ...] = ()
    """How the table is drawn."""
    conclusion: tuple[Sentence, ...]
    """What follows, the answer first."""
    choice: str | None = None
    """The option that is recommended; None: they cannot be told apart, or nothing fits."""
    uncertain: tuple[str, ...] = ()
    """What remains uncertain: errors, assumptions, what was not done."""
    decide_by: tuple[str, ...] = ()
    """What would decide what is still open: trials, with the configurations that they take."""
    citations: tuple[Citation, ...] = ()
    """Cards that it rests on."""
