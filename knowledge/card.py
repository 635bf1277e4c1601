"""Card: one claim about FSDP that an engineer can act on, and the rules for its form."""

import re
from typing import Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version
from pydantic import Field, field_validator, model_validator

from contracts.base import Contract

Kind = Literal["concept", "behaviour", "api", "pitfall", "failure", "recipe", "config", "hardware"]
"""What sort of statement the claim is."""

Subject = Literal[
    "fsdp1",
    "fsdp2",
    "accelerate",
    "trainer",
    "lightning",
    "torchtune",
    "torchtitan",
    "axolotl",
    "torchrun",
    "slurm",
    "nccl",
    "checkpoint",
]
"""What a claim can be about."""

Evidence = Literal["probed", "source_read", "documented", "reported"]
"""How a claim was established: seen in a run of its probe, read in the source, stated by
the documentation, or told by several users."""

CLAIM_WORDS_MAX = 70
"""Words of a claim: an answer of 150 words quotes one whole claim and parts of others."""
ADVICE_WORDS_MAX = 60
"""Words of the first paragraph of "What to do", which answers quote after the claim."""

_SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_USER = r"^([A-Z]{2,4}\d{3}|(cause|question|decision):[a-z0-9]+(-[a-z0-9]+)*)$"


class Source(Contract):
    """A place that was read, and what it says."""

    url: str = Field(pattern=r"^https://\S+$")
    """Address."""
    title: str = Field(min_length=3)
    """What the place calls itself, with the version or the symbol that was read."""
    says: str = Field(min_length=10)
    """What it says, in our words."""


class Card(Contract):
    """A claim with its reach, its sources and its use."""

    slug: str = Field(pattern=_SLUG)
    """File name without ending; never changes."""
    title: str = Field(min_length=5, max_length=90)
    """Headline."""
    claim: str = Field(min_length=20)
    """The claim in full sentences that stand alone; answers quote it."""
    kind: Kind
    """What sort of statement it is."""
    applies_to: tuple[Subject, ...] = Field(min_length=1)
    """What it is about."""
    torch: str
    """PEP 440 specifier of the torch versions in which the claim holds."""
    sources: tuple[Source, ...] = Field(min_length=1)
    """What it rests on."""
    evidence: Evidence
    """How it was established."""
    probe: str | None = Field(default=None, pattern=r"^[a-z][a-z0-9_]*$")
    """Name of the probe that shows it."""
    unprobed: str | None = Field(default=None, min_length=10)
    """Why there is no probe."""
    related: tuple[str, ...] = ()
    """Slugs of neighbours."""
    in_other_versions: tuple[str, ...] = ()
    """Slugs of the cards that answer the same question for other versions of torch."""
    corrects: tuple[str, ...] = ()
    """What is often said and does not hold, each a whole sentence."""
    questions: tuple[str, ...] = ()
    """Ways in which people ask for it, in English and Danish."""
    used_by: tuple[str, ...] = ()
    """What relies on it: rule ids, and `cause:`, `question:` or `decision:` with a slug."""
    what: str = Field(min_length=20)
    """The claim in detail."""
    why: str = Field(min_length=20)
    """The mechanism."""
    what_to_do: str = Field(min_length=10)
    """What follows for the engineer; answers quote the first paragraph."""
    code: str = ""
    """Minimal code, with its fence; empty where none helps."""

    @property
    def advice(self) -> str:
        """First paragraph of `what_to_do` on one line."""
        return " ".join(self.what_to_do.split("\n\n", 1)[0].split())

    def holds_in(self, torch: str) -> bool:
        """Tell whether the claim holds in a torch version such as `2.13` or `2.13.0+cpu`.

        A development build counts as its release.

        Raises:
            packaging.version.InvalidVersion: `torch` is no version.
        """
        return SpecifierSet(self.torch).contains(Version(torch).base_version)

    @field_validator("torch")
    @classmethod
    def _specifier(cls, text: str) -> str:
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            raise ValueError(f"{text!r} is no version specifier (such as >=2.6 or >=2.4,<2.13)") from None
        if not text.strip():
            raise ValueError("an empty specifier says nothing; write >=2.0 or the first version that was checked")
        return text

    @field_validator("claim")
    @classmethod
    def _claim_is_short(cls, text: str) -> str:
        text = " ".join(text.split())
        if len(text.split()) > CLAIM_WORDS_MAX:
            raise ValueError(f"{len(text.split())} words; {CLAIM_WORDS_MAX} at most, so that an answer can quote it")
        if text[-1] not in ".!?":
            raise ValueError("a claim is whole sentences and ends with a full stop")
        return text

    @field_validator("used_by")
    @classmethod
    def _users(cls, users: tuple[str, ...]) -> tuple[str, ...]:
        for user in users:
            if not re.match(_USER, user):
                raise ValueError(f"{user!r} is neither a rule id nor cause:, question: or decision: with a slug")
        return users

    @model_validator(mode="after")
    def _proof(self) -> "Card":
        if (self.probe is None) == (self.unprobed is None):
            raise ValueError("give either probe (its name) or unprobed (the reason), not both and not neither")
        if self.evidence == "probed" and self.probe is None:
            raise ValueError("evidence is probed, but there is no probe")
        if len(self.advice.split()) > ADVICE_WORDS_MAX:
            raise ValueError(
                f"the first paragraph of What to do has {len(self.advice.split())} words; "
                f"{ADVICE_WORDS_MAX} at most, so that an answer can quote it"
            )
        return self
