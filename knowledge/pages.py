"""docs/knowledge, written from the cards: `python -m knowledge.pages`.

```
README.md        every card, by subject and kind
outdated.md      what was true of other versions of torch, and what is said but does not hold
cards/<slug>.md  one card, whole, with what proves it
```
"""

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from knowledge.card import Card, Kind, Subject
from knowledge.cards import Cards, cards
from knowledge.verification import recorded, recorded_versions

FOLDER = Path(__file__).parents[1] / "docs" / "knowledge"
"""Where the pages are kept in the repository."""

_WRITTEN = "Written by `python -m knowledge.pages` from `knowledge/cards`; a test compares them."

_SUBJECTS: dict[Subject, str] = {
    "fsdp2": "FSDP2 (`fully_shard`)",
    "fsdp1": "FSDP1 (`FullyShardedDataParallel`)",
    "checkpoint": "Checkpoints",
    "accelerate": "Accelerate",
    "trainer": "Transformers' Trainer",
    "lightning": "Lightning",
    "torchtune": "torchtune",
    "torchtitan": "torchtitan",
    "axolotl": "Axolotl",
    "torchrun": "torchrun",
    "slurm": "Slurm",
    "nccl": "NCCL and other communication",
}
"""Headings of the subjects, in the order of the index."""

_EVIDENCE = {
    "probed": "seen in a run of its probe",
    "source_read": "read in the source",
    "documented": "stated by the documentation",
    "reported": "reported by users, not confirmed",
}


def pages(known: Cards) -> dict[str, str]:
    """Return the text of every page by its path below the folder."""
    found = {"README.md": _index(known), "outdated.md": _outdated(known)}
    return found | {f"cards/{slug}.md": _page(card, known) for slug, card in known.items()}


def write(folder: Path = FOLDER) -> None:
    """Write every page, and take away those of cards that are gone.

    Raises:
        OSError: The folder cannot be written.
    """
    wanted = pages(cards())
    (folder / "cards").mkdir(parents=True, exist_ok=True)
    for path in folder.rglob("*.md"):
        if path.relative_to(folder).as_posix() not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")


def _index(known: Cards) -> str:
    lines = [
        "# The knowledge base",
        "",
        f"{_WRITTEN} {len(known)} cards, each one claim with its sources; "
        f"{sum(card.probe is not None for card in known.values())} have a probe that shows the claim on the torch that "
        "is installed (`fsdp-agent kb verify`). [What is no longer true, or never was](outdated.md).",
        "",
    ]
    groups = {subject: [c for c in known.values() if subject in c.applies_to] for subject in _SUBJECTS}
    lines += [f"- [{_SUBJECTS[subject]}](#{subject}): {len(group)}" for subject, group in groups.items() if group]
    for subject, group in groups.items():
        if group:
            lines += ["", f'<a id="{subject}"></a>', "", f"## {_SUBJECTS[subject]}"]
            lines += _by_kind(group)
    return "\n".join(lines) + "\n"


def _by_kind(group: Sequence[Card]) -> list[str]:
    lines = []
    for kind in get_args(Kind):
        of_kind = [card for card in group if card.kind == kind]
        if of_kind:
            lines += ["", f"**{kind.capitalize()}**", ""]
            lines += [f"- {_link(card, 'cards/')} (torch {card.torch})" for card in of_kind]
    return lines


def _outdated(known: Cards) -> str:
    newest = recorded_versions()[-1]
    past = [card for card in known.values() if not card.holds_in(newest)]
    lines = [
        "# What is no longer true, and what never was",
        "",
        f"{_WRITTEN} The newest torch on which the cards were proved is {newest}.",
        "",
        "## True once",
        "",
        "| Claim | Held in torch | Now |",
        "| --- | --- | --- |",
    ]
    lines += [
        f"| {_link(card, 'cards/')}: {_cell(card.claim)} | `{card.torch}` | {_now(card, known, newest)} |"
        for card in past
    ]
    lines += ["", "## Said, but not so", "", "| Said | Card | What holds |", "| --- | --- | --- |"]
    lines += [
        f"| {_cell(belief)} | {_link(card, 'cards/')} (torch {card.torch}) | {_cell(card.claim)} |"
        for card in known.values()
        for belief in card.corrects
    ]
    return "\n".join(lines) + "\n"


def _now(card: Card, known: Cards, newest: str) -> str:
    heirs = [known[slug] for slug in card.in_other_versions if slug in known and known[slug].holds_in(newest)]
    if not heirs:
        return "does not hold any more"
    return "; ".join(f"torch `{heir.torch}`: {_link(heir, 'cards/')}: {_cell(heir.claim)}" for heir in heirs)


def _page(card: Card, known: Cards) -> str:
    parts = [
        f"# {_plain(card.title)}",
        f"> {_plain(card.claim)}",
        "\n".join(_facts(card)),
        f"## What\n\n{card.what}",
        f"## Why\n\n{card.why}",
        f"## What to do\n\n{card.what_to_do}",
        f"## Code\n\n{card.code}" if card.code else "",
        _section("Often said, but not so", card.corrects),
        _section("Sources", (f"[{_plain(s.title)}]({s.url}): {_plain(s.says)}" for s in card.sources)),
        _section("Other versions of torch", _links(card.in_other_versions, known)),
        _section("Related", _links(card.related, known)),
        "[All cards](../README.md)",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(card: Card) -> Iterable[str]:
    yield f"- card: `{card.slug}` ({card.kind}; {', '.join(card.applies_to)})"
    yield f"- holds in torch: `{card.torch}`"
    yield f"- evidence: {_EVIDENCE[card.evidence]}"
    if card.probe is None:
        yield f"- no probe: {_plain(card.unprobed or '')}"
        return
    yield f"- probe: [`{card.probe}`](../../../knowledge/probes/{card.probe}.py)"
    seen = [(torch, recorded(torch).get(card.slug)) for torch in recorded_versions()]
    verdicts = [f"{entry['verdict'].replace('_', ' ')} on {torch}" for torch, entry in seen if entry]
    if verdicts:
        yield f"- recorded: {', '.join(verdicts)}"


def _section(heading: str, items: Iterable[str]) -> str:
    lines = [f"- {item}" for item in items]
    return "\n".join((f"## {heading}", "", *lines)) if lines else ""


def _links(slugs: Iterable[str], known: Cards) -> list[str]:
    return [f"{_link(known[slug])} (torch {known[slug].torch})" for slug in slugs if slug in known]


def _link(card: Card, folder: str = "") -> str:
    return f"[{_plain(card.title)}]({folder}{card.slug}.md)"


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """Return text on one line, with nothing in it that Markdown reads as a tag."""
    return re.sub(r"<(?=[A-Za-z/!?])", "\\<", " ".join(text.split()))


if __name__ == "__main__":
    write(*(Path(word) for word in sys.argv[1:2]))
