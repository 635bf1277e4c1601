"""What is known of a run that failed, and what a cure proposes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contracts.amendment import MendKind
from contracts.recipe import Recipe
from contracts.request import Language, Request

Resume = Literal["newest", "before_trouble", "beginning"]
"""Which checkpoint a mended run of the built-in job starts from: the newest; the newest from before
the first step that went wrong; none, for what was saved is at fault itself."""


@dataclass(frozen=True)
class Saved:
    """A checkpoint of the run that failed, read again and found whole."""

    path: str
    """Absolute path of its folder."""
    step: int
    """Optimizer steps done."""


@dataclass(frozen=True)
class Repaired:
    """A script after the edits of one finding of the review."""

    cards: tuple[str, ...]
    """Cards that the finding rests on."""
    message: str
    """What the review found."""
    file: str
    """Absolute path of the user's own file."""
    text: str
    """Its text with the edits applied."""


@dataclass(frozen=True)
class Situation:
    """A run that failed, as far as cures look at it."""

    request: Request
    """What was asked, with the changes of earlier rounds."""
    recipe: Recipe
    """The settings that it ran with; those of the built-in job alone."""
    language: Language = "en"
    """Language in which the change is told."""
    ranks: int = 1
    """World size."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Text of each file of the user's script as it ran, by its own path; the script itself first."""
    log: str = ""
    """What was seen of the failure, in lower case: the reason, the first failure, the proving lines."""
    trouble_step: int | None = None
    """First step whose loss or gradient was not finite."""
    weights_bytes: int = 0
    """Size of the model's weight files."""
    saved: tuple[Saved, ...] = ()
    """Whole checkpoints, the newest first."""
    earlier_input: Mapping[str, str] = field(default_factory=dict)
    """For an argument that names a checkpoint: the newest whole one before it."""
    repaired: tuple[Repaired, ...] = ()
    """What the review can mend by itself."""

    @property
    def script(self) -> bool:
        """Whether a script of the user's own ran."""
        return self.request.script is not None


@dataclass(frozen=True)
class Mend:
    """A change that a cure proposes."""

    kind: MendKind
    """What is changed."""
    why: str
    """What is changed, and why that mends the cause."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """New values by their place in the request."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """New content of files of the user's script."""
    costs: str = ""
    """What it costs."""
    resume: Resume = "newest"
    """Where a run of the built-in job starts from."""


Cure = Callable[[Situation], Mend | None]
"""Looks whether its preconditions hold; None where they do not."""
