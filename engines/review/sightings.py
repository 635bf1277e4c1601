"""Sightings: findings with their line of text and, where it is safe, the edit that mends them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from contracts.finding import Finding
from engines.review.flow.parsing import Unparsable, parse
from engines.review.repairs import REPAIRS, edit_for
from engines.review.sources import Source

MAX_TEXT_CHARACTERS = 240
"""Characters of a line that a finding quotes."""


def seen(findings: Iterable[Finding], sources: Sequence[Source]) -> list[Finding]:
    """Return findings with `text` and `edits` filled in; in a notebook the message names the cell.

    Args:
        findings: What the rules found.
        sources: The files, as they were read.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.file, []).append(finding)
    texts = {source.path: source for source in sources if source.path in by_path}
    return [done for path, found in by_path.items() for done in _of_file(found, texts.get(path))]


def _of_file(findings: list[Finding], source: Source | None) -> list[Finding]:
    if source is None:
        return findings
    lines = source.text.splitlines()
    mended = not source.path.endswith(".ipynb") and any(finding.rule in REPAIRS for finding in findings)
    tree = _tree(source) if mended and source.kind == "python" else None
    done = []
    for finding in findings:
        text = lines[finding.line - 1] if finding.line <= len(lines) else ""
        edit = edit_for(lines, tree, finding) if mended else None
        cell = source.cells.get(finding.line)
        where = "" if cell is None else f" (cell {cell[0]}, line {cell[1]})"
        update = {
            "message": finding.message + where,
            "text": text[:MAX_TEXT_CHARACTERS],
            "edits": (edit,) if edit is not None else (),
        }
        done.append(finding.model_copy(update=update))
    return done


def _tree(source: Source) -> ast.Module | None:
    try:
        return parse(source.text, source.path)
    except Unparsable:
        return None
