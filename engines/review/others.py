"""Others: findings in files that are no Python: configurations and launch scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contracts.finding import Finding
from engines.review import command_lines
from engines.review.configuration import ConfigUnreadable, Document, json_is_data, read_config
from engines.review.manifests import Manifest, read_manifests
from engines.review.overrides import documents_of
from engines.review.registry import Entry
from engines.review.requirements import Requirements, read_requirements
from engines.review.scripts import Environment, Script, read_script
from engines.review.sources import Source


def found_by(entry: Entry, subject: object, notes: list[str]) -> Iterator[Finding]:
    """Yield what a rule finds, as findings.

    A rule that stumbles over code that nobody thought of must not hide what the others
    find: it is noted, and the rest goes on.

    Args:
        entry: The rule and its check.
        subject: What the rule reads.
        notes: Extended where the rule failed.
    """
    try:
        for hit in entry.check(subject):
            yield entry.rule.finding(hit)
    except Exception as err:
        notes.append(f"{entry.rule.id} could not be applied: {type(err).__name__}: {err}")


def other_findings(
    sources: Sequence[Source], active: Sequence[Entry], notes: list[str], not_followed: list[str]
) -> list[Finding]:
    """Review the configurations and launch scripts among the sources.

    Args:
        sources: Every file of the review.
        active: Rules that concern the version of torch.
        notes: Extended by an entry for each file that cannot be read.
        not_followed: Extended where a rule could not be applied.
    """
    programs = {source.path.rpartition("/")[2]: source.text for source in sources if source.kind == "python"}
    scripts = [read_script(source.path, source.text) for source in sources if source.kind == "launch"]
    found: list[Finding] = []
    for script in scripts:
        script.programs = programs
        found += _of_script(script, active, not_followed)
    by_accelerate = any("fsdp_version" in source.text for source in sources if source.kind in ("config", "python"))
    for requirements in requirements_of(sources):
        requirements.fsdp2_by_accelerate = by_accelerate
        for entry in active:
            if entry.rule.reads == "requirements":
                found += found_by(entry, requirements, not_followed)
    texts = tuple(source.text for source in sources if source.kind == "python")
    for document in _documents(sources, notes):
        document.world_size = _world_size(scripts)
        document.programs = texts
        for entry in active:
            if entry.rule.reads == "config":
                found += found_by(entry, document, not_followed)
    for manifest in _manifests(sources, notes):
        for entry in active:
            if entry.rule.reads == "manifest":
                found += found_by(entry, manifest, not_followed)
    return found


def requirements_of(sources: Sequence[Source]) -> list[Requirements]:
    """Return what the files of the review pin."""
    return [read_requirements(source.path, source.text) for source in sources if source.kind == "requirements"]


def _of_script(script: Script, active: Sequence[Entry], not_followed: list[str]) -> Iterator[Finding]:
    stated = [script.number(command.option("--nnodes")) for command in script.commands]
    nodes = max((count for count in (script.nodes(), *stated) if count is not None), default=1)
    environment = Environment(script.settings, nodes > 1)
    for entry in active:
        if entry.rule.reads == "launch":
            yield from found_by(entry, script, not_followed)
        elif entry.rule.reads == "environment":
            yield from found_by(entry, environment, not_followed)
        elif entry.rule.reads == "config":
            for document in (*documents_of(script), *command_lines.documents_of(script)):
                yield from found_by(entry, document, not_followed)


def _manifests(sources: Sequence[Source], notes: list[str]) -> Iterator[Manifest]:
    for source in sources:
        if source.kind == "config" and not source.path.endswith(".toml"):
            try:
                yield from read_manifests(source.path, source.text)
            except ConfigUnreadable as err:
                notes.append(f"{source.path}: {err}")


def _documents(sources: Sequence[Source], notes: list[str]) -> Iterator[Document]:
    for source in sources:
        if source.kind != "config" or (source.path.endswith(".json") and json_is_data(source.text)):
            continue
        try:
            document = read_config(source.path, source.text)
        except ConfigUnreadable as err:
            notes.append(f"{source.path}: {err}")
            continue
        if document is not None:
            yield document


def _world_size(scripts: Sequence[Script]) -> int | None:
    """Return the number of ranks that all launches of the review agree on."""
    sizes: set[int] = set()
    for script in scripts:
        for command in script.commands:
            processes = script.number(command.option("--nproc-per-node"))
            if command.launcher() == "torchrun" and processes is not None:
                nodes = script.number(command.option("--nnodes")) or script.nodes() or 1
                sizes.add(processes * nodes)
    return sizes.pop() if len(sizes) == 1 else None
