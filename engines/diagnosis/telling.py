"""A diagnosis in words: lines for a terminal, or Markdown for a ticket."""

from collections.abc import Iterator
from datetime import UTC, datetime

from contracts.diagnosis import Cause, ChainLink, Diagnosis, RankState

_VERDICTS = {
    "diagnosed": "diagnosed",
    "unknown": "the cause cannot be told from this; what comes nearest:",
    "not_fsdp": "not a fault of FSDP",
    "no_failure": "nothing failed",
}
_RANKS_TOLD = 16
_TOLD_FROM = 0.1
"""Confidence from which a cause is told of where none is certain; JSON holds all."""


def text_lines(found: Diagnosis) -> Iterator[str]:
    """Yield a diagnosis as lines of plain text."""
    yield _VERDICTS[found.verdict]
    if found.remark:
        yield found.remark
    if found.first_failure:
        yield f"first failure: {found.first_failure}"
    if found.first_diverged:
        yield f"first to leave the others: rank {found.first_diverged}"
    if found.hang is not None:
        yield f"hang ({found.hang.kind}): {found.hang.text}"
    yield from (f"needed: {needed}" for needed in found.needed)
    for number, cause in enumerate(_told(found), start=1):
        yield f"{number}. {cause.cause} (confidence {cause.confidence:.2f})"
        yield f"    {cause.summary}"
        yield f"    fix: {cause.fix}"
        if cause.cost:
            yield f"    costs: {cause.cost}"
        if cause.confirm:
            yield f"    to confirm: {cause.confirm}"
        for line in cause.evidence:
            yield f"    {line.file}:{line.line}: {line.text}"
    if len(found.chain) > 1:
        yield "what happened:"
        yield from (f"    {_link(link)}" for link in found.chain)
    shown = _interesting(found)
    if shown:
        yield "ranks:"
        yield from (f"    {_state(state)}" for state in shown)
        if len(found.rank_states) > len(shown):
            yield f"    and {len(found.rank_states) - len(shown)} more"


def markdown(found: Diagnosis, picture: str | None = None) -> str:
    """Return a diagnosis as Markdown.

    Args:
        found: The diagnosis.
        picture: Path of the picture of the timeline, relative to the text; None where there is none.
    """
    lines = ["# Diagnosis", "", f"**{_VERDICTS[found.verdict]}**", ""]
    if found.remark:
        lines += [_plain(found.remark), ""]
    if found.first_failure:
        lines += [f"First failure: {_code(found.first_failure)}", ""]
    if found.hang is not None:
        lines += [f"Hang ({found.hang.kind}): {_plain(found.hang.text)}", ""]
    if found.needed:
        lines += ["## What would decide it", "", *(f"1. {_code(needed)}" for needed in found.needed), ""]
    for number, cause in enumerate(_told(found), start=1):
        lines += [f"## {number}. {cause.cause} ({cause.confidence:.0%})", "", _plain(cause.summary), ""]
        lines += [f"- Fix: {_plain(cause.fix)}"]
        lines += [f"- Costs: {_plain(cause.cost)}"] if cause.cost else []
        lines += [f"- To confirm: {_plain(cause.confirm)}"] if cause.confirm else []
        lines += [f"- {_code(f'{line.file}:{line.line}')}: {_code(line.text)}" for line in cause.evidence]
        lines += [""]
    if len(found.chain) > 1:
        lines += ["## What happened", "", *(f"1. {_plain(_link(link))}" for link in found.chain), ""]
    if picture is not None:
        lines += [f"![Timeline of the ranks](<{picture}>)", ""]
    if found.rank_states:
        lines += ["## Ranks", "", *(f"- {_plain(_state(state))}" for state in _interesting(found)), ""]
    return "\n".join(lines)


def _told(found: Diagnosis) -> list[Cause]:
    """Return the causes to tell of: where the cause cannot be told, those that are hardly possible only cost time."""
    return [cause for cause in found.causes if found.verdict != "unknown" or cause.confidence >= _TOLD_FROM]


def _interesting(found: Diagnosis) -> list[RankState]:
    """Return the ranks to tell of: the one that left first, then those with trouble, in their order."""
    order = sorted(
        found.rank_states,
        key=lambda state: (
            state.rank != found.first_diverged,
            not (state.exit or state.first_abnormal),
            int(state.rank),
        ),
    )
    return order[:_RANKS_TOLD]


def _state(state: RankState) -> str:
    parts = [
        f"ended with {state.exit}" if state.exit else "",
        f"last progress {_short(state.last_progress)}{_time(state.last_progress_at)}" if state.last_progress else "",
        f"waits in {state.waits_in}" if state.waits_in else "",
        f"is at {state.stands_at}" if state.stands_at else "",
        f"first trouble {_short(state.first_abnormal)}{_time(state.first_abnormal_at)}" if state.first_abnormal else "",
    ]
    return f"rank {state.rank}: " + ("; ".join(part for part in parts if part) or "nothing is known")


def _link(link: ChainLink) -> str:
    return f"{link.role}{_time(link.at)}: {link.text}"


def _time(at: float | None) -> str:
    return f" ({datetime.fromtimestamp(at, UTC):%H:%M:%S})" if at is not None else ""


def _short(text: str | None) -> str:
    return (text or "")[:160]


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    inner = " ".join(text.split())
    return f"{fence} {inner} {fence}" if fence == "``" else f"{fence}{inner}{fence}"


def _plain(text: str) -> str:
    """Return text from elsewhere so that it cannot become markup."""
    for mark in ("\\", "<", "*", "_", "[", "]", "#", "|", "!"):
        text = text.replace(mark, "&lt;" if mark == "<" else f"\\{mark}")
    return " ".join(text.split())
