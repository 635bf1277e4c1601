"""Review: what FSDP mistakes are in these files? Nothing of them is imported or run.

```python
from engines.review.engine import review_paths
result = review_paths(["train.py", "launch/"], torch="2.6")
```
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from contracts.finding import Finding, ReviewResult
from contracts.review import ReviewSettings
from engines.review import suppression
from engines.review.arguments import documents, settings
from engines.review.flow.facts import Facts
from engines.review.flow.parsing import Unparsable
from engines.review.flow.project import Module, Project
from engines.review.flow.schedule import Schedule
from engines.review.flow.shapes import Shapes
from engines.review.flow.sharding import Sharding
from engines.review.naming import names_of
from engines.review.others import found_by, other_findings, requirements_of
from engines.review.registry import Entry, entries
from engines.review.requirements import pinned_torch
from engines.review.rule import Flow, Reads
from engines.review.scripts import Environment
from engines.review.sightings import seen
from engines.review.sources import Collection, Source, collect, kind_of
from engines.review.usage import ranks_of_usage
from engines.review.versions import Version, parse_version


def review_paths(
    paths: Sequence[str | Path],
    torch: str | None = None,
    settings: ReviewSettings | None = None,
    excluded: Callable[[str], bool] | None = None,
) -> ReviewResult:
    """Review files and folders.

    Args:
        paths: Files of any kind that is known, and folders, which are searched.
        torch: Version of torch that the code is for, such as "2.6"; where absent, the one that
            requirements or lock files among the paths pin, else the newest.
        settings: Which rules are applied; all where absent. Its version of torch counts where
            `torch` is absent.
        excluded: Tells for a file below the folders whether it is left out.

    Returns:
        Findings sorted by file, line and rule. A file that cannot be parsed is an entry of
        `unreadable`; the others are reviewed all the same.

    Raises:
        FileUnreadable: A path does not exist.
        RequestInvalid: `torch` is no version.
    """
    chosen = settings or ReviewSettings()
    return _review(collect(paths, excluded), torch or chosen.torch, chosen)


def review_source(text: str, file: str, torch: str | None = None) -> tuple[Finding, ...]:
    """Review one text as if it were a file of this name.

    Args:
        text: Its content.
        file: Its name; the ending says what it is.
        torch: Version of torch that it is for; the newest where absent.

    Raises:
        RequestInvalid: `torch` is no version.
    """
    source = Source(file, kind_of(file, text), text)
    return _review(Collection((source,), (), ()), torch, ReviewSettings()).findings


@contextmanager
def _calm_collector() -> Iterator[None]:
    """Let the garbage collector rest: a review makes many small objects and drops them in bulk.

    With its usual thresholds half of the time went into looking through live syntax trees.
    """
    before = gc.get_threshold()
    gc.set_threshold(200_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@_calm_collector()
def _review(collection: Collection, given: str | None, settings: ReviewSettings) -> ReviewResult:
    pinned = pinned_torch(requirements_of(collection.sources)) if given is None else None
    torch = pinned or parse_version(given)
    modules = [Module(source.path, source.text) for source in collection.sources if source.kind == "python"]
    active = [entry for entry in entries() if entry.rule.applies(torch) and settings.applies(entry.rule.id)]
    not_followed: list[str] = [*collection.links]
    findings = list(_of_python(Project(modules, collection.roots), active, torch, not_followed))
    notes = _unparsable(modules)
    findings += other_findings(collection.sources, active, notes, not_followed)
    idle = {entry.rule.id for entry in entries()} - {entry.rule.id for entry in active}
    comments = {source.path: suppression.suppressions(source.text, idle) for source in collection.sources}
    kept = suppression.apply(_distinct(findings), {path: found for path, found in comments.items() if found})
    kept = [finding for finding in kept if settings.applies(finding.rule)]
    broken = {note.partition(": ")[0] for note in notes}
    return ReviewResult(
        findings=tuple(
            sorted(seen(kept, collection.sources), key=lambda finding: (finding.file, finding.line, finding.rule))
        ),
        files=tuple(source.path for source in collection.sources if source.path not in broken),
        unreadable=(*collection.unreadable, *notes),
        not_followed=tuple(not_followed),
    )


def _unparsable(modules: Iterable[Module]) -> list[str]:
    """Return a note for each Python file that does not parse; those that nobody has executed are tried here."""
    notes: list[str] = []
    for module in modules:
        if not module.relevant:
            with suppress(Unparsable):  # `broken` says it
                module.check()
        notes.extend([f"{module.path}: {module.broken}"] if module.broken else [])
    return notes


def _of_python(project: Project, active: list[Entry], torch: Version, not_followed: list[str]) -> Iterator[Finding]:
    schedule = Schedule(project)
    facts: Facts = {}
    for module, trace in schedule.traces():
        took_part = {id(event.module): event.module for event in trace.events} | {id(module): module}
        modules = tuple(took_part.values())
        flow = Flow(trace, Sharding(trace, facts), Shapes(modules, schedule.machine.template), torch, modules)
        yield from _of_trace(flow, module, active, not_followed)
        del trace, flow, took_part, modules  # before the next file is read, so that they are not alive together
    not_followed.extend(schedule.machine.not_followed)


def _of_trace(flow: Flow, module: Module, active: list[Entry], not_followed: list[str]) -> Iterator[Finding]:
    """Yield what the rules find in one file's trace, names, settings and configuring calls."""
    names = names_of(module, flow.torch) if "torch" in module.text else None
    configurations = [document for _, document in documents(flow)]
    for document in configurations:
        document.world_size = ranks_of_usage(module.text)
    environment = Environment(list(settings(flow)))
    subjects: dict[Reads, list[object]] = {
        "flow": [flow],
        "names": [names] if names is not None else [],
        "environment": [environment] if environment.settings else [],
        "config": list(configurations),
    }
    for entry in active:
        for subject in subjects.get(entry.rule.reads, ()):
            yield from found_by(entry, subject, not_followed)


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Keep one finding for each rule and line."""
    return list({(finding.file, finding.line, finding.rule): finding for finding in findings}.values())
