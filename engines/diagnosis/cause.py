"""What a cause is made of: signs in a text, with weights, and the card that explains it.

Patterns are regular expressions for lower-case text. A blank stands for any white space, so
that a sentence may be wrapped; `~` stands for up to 90 characters of anything. Weights add
up: 6 is a message that nothing else prints, 4 a description that hardly fits anything else,
2 a hint. A negative weight is a sign of something else.
"""

from dataclasses import dataclass
from functools import cache
from re import DOTALL, Pattern, compile
from typing import Literal

OOM = r"out[ -]of[ -]memory|outofmemory|\boom(?:s|ed|ing)?\b"
"""Memory ran out."""
HOST_KILLED = "oom_killer killed"
"""What stands in a text for a kill over host memory, whoever told it; `OOM` does not match it."""
HANG = (
    r"\bhangs?\b|\bhung\b|hanging|\bstuck\b|deadlock|\bstalls?\b|stalled"
    r"|never (?:returns?|comes? (?:back|out)|finish|ends?\b|complet|gets? past)"
    r"|hænger|går i stå|står stille|fryser"
    r"|stands? still|stood still|everything stops|no (?:more )?progress"
    r"|does(?: not|n.t) (?:go on|move on|come back|return)"
    r"|nothing (?:moves|happens)|freez|for ever|forever|time[- ]?outs?\b|timed out|times out|watchdog"
)
"""Nothing goes on, in the words of people and of logs."""
NCCL_TIMEOUT = r"watchdog caught collective|collective operation time-?out|nccl (?:watchdog )?(?:time-?out|times out)"
"""The watchdog ended a collective; the rank that says so is a victim."""
SAVE = (
    r"\bsav(?:e|es|ed|ing)\b"
    r"(?! (?:some |a lot of |gpu )?(?:time|hours?|minutes?|memory|v?ram|money|costs?|compute|space)\b)"
    r"|save_\w+|checkpoint"
)
"""A checkpoint is written."""
RESUME = r"resum|restart|reload|(?:after|when|while) (?:the |a )?load|load(?:ed|ing) (?:the |a )?checkpoint"
"""A checkpoint is read."""

RANK0_ONLY = (
    r"(?:only|just|kun)~(?:on|by|in|from|på|af|i|fra) (?:the |den )?"
    r"(?:(?:global |local )?rank ?(?:0|zero)\b|main process|master\b|hovedproces)"
)
"""Something is done on one rank alone, as people say it."""

STRONG = 5.0
"""Weight from which a sign is specific: without one no confidence is above 0.8."""

_GAP = ".{0,90}?"


@dataclass(frozen=True, init=False)
class Sign:
    """Something that speaks for a cause, or against it."""

    weight: float
    """What it adds to the cause's score."""
    parts: tuple[str, ...]
    """Patterns that all have to be found, in any order."""

    def __init__(self, weight: float, *parts: str) -> None:
        """Take the weight and the patterns."""
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "parts", parts)


@dataclass(frozen=True)
class CauseRule:
    """A root cause and how it shows."""

    cause: str
    """Slug; the file is called after it."""
    card: str
    """Card that holds the mechanism and the fix."""
    signs: tuple[Sign, ...]
    """What speaks for it, and against it."""
    outside: Literal["no", "never_fsdp", "without_fsdp"] = "no"
    """Whether the fault is FSDP's: `never_fsdp` it is not, `without_fsdp` it is not where FSDP is not in use."""
    fallback: bool = False
    """Whether it says only that something else failed first, so that any other cause goes before it."""
    quantity: (
        Literal[
            "fragmentation",
            "outside_allocator",
            "filled",
            "gathered_whole",
            "other_timeout",
            "one_shard_of_it",
            "not_one_shard_of_it",
            "recomputed_shard",
            "not_recomputed_shard",
        ]
        | None
    ) = None
    """A number in the text that decides, see `quantities.py`."""
    cost: str = ""
    """What the fix costs."""
    confirm: str = ""
    """How to see that it was this cause and that the fix holds."""


@cache
def compiled(part: str) -> Pattern[str]:
    """Return the compiled form of one pattern of a sign.

    Raises:
        re.error: It is no pattern.
    """
    return compile(part.replace(" ", r"\s").replace("~", _GAP), DOTALL)
