"""SARIF 2.1.0 and GitHub annotations: findings in the forms that code hosts read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from contracts.finding import Edit, Finding, RelatedPlace, ReviewResult
from engines.review.baseline import fingerprints
from engines.review.registry import entries
from engines.review.rule import Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "advice": "note"}
_COMMANDS = {"error": "error", "warning": "warning", "advice": "notice"}


def sarif(result: ReviewResult, version: str) -> dict[str, Any]:
    """Return a SARIF 2.1.0 log with one run.

    Args:
        result: What a review found.
        version: Version of the program.
    """
    found = sorted({finding.rule for finding in result.findings})
    known = {entry.rule.id: entry.rule for entry in entries()}
    rules = [_rule(rule, known.get(rule), result.findings) for rule in found]
    marks = fingerprints(result.findings)
    results = [
        _result(finding, found.index(finding.rule), mark) for finding, mark in zip(result.findings, marks, strict=True)
    ]
    notes = [
        {"level": "error", "message": {"text": text}, "descriptor": {"id": "unreadable"}} for text in result.unreadable
    ]
    notes += [
        {"level": "note", "message": {"text": text}, "descriptor": {"id": "not-followed"}}
        for text in result.not_followed
    ]
    driver = {"name": "fsdp-agent", "version": version, "rules": rules}
    invocation: dict[str, Any] = {"executionSuccessful": True, "toolExecutionNotifications": notes}
    run = {"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "invocations": [invocation], "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule_id: str, rule: Rule | None, findings: Sequence[Finding]) -> dict[str, Any]:
    example = next(finding for finding in findings if finding.rule == rule_id)
    return {
        "id": rule_id,
        "name": "".join(part.capitalize() for part in example.slug.split("-")),
        "shortDescription": {"text": example.slug.replace("-", " ")},
        "help": {"text": rule.fix if rule is not None else example.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity if rule is not None else example.severity]},
    }


def _result(finding: Finding, index: int, mark: str) -> dict[str, Any]:
    text = f"{finding.message}. {finding.fix}" if finding.fix else finding.message
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(finding)}],
        "partialFingerprints": {"fsdpAgentFinding/v1": mark},
    }
    if finding.related:
        result["relatedLocations"] = [_related(place, index) for index, place in enumerate(finding.related)]
    if finding.edits:
        result["fixes"] = [{"description": {"text": finding.fix}, "artifactChanges": [_change(finding)]}]
    return result


def _location(finding: Finding) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": finding.line, "startColumn": finding.column}
    if finding.text:
        region["snippet"] = {"text": finding.text}
    return {"artifactLocation": _artifact(finding.file), "region": region}


def _related(place: RelatedPlace, index: int) -> dict[str, Any]:
    location = {"artifactLocation": _artifact(place.file), "region": {"startLine": place.line}}
    return {"id": index, "message": {"text": place.message}, "physicalLocation": location}


def _artifact(file: str) -> dict[str, str]:
    """Return a relative or file URI."""
    path = PurePath(file)
    return {"uri": Path(file).as_uri() if path.is_absolute() else quote(path.as_posix())}


def _change(finding: Finding) -> dict[str, Any]:
    return {
        "artifactLocation": _artifact(finding.file),
        "replacements": [_replacement(edit) for edit in finding.edits],
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    end = edit.line + len(edit.old)
    region = {"startLine": edit.line, "startColumn": 1, "endLine": end, "endColumn": 1}
    return {"deletedRegion": region, "insertedContent": {"text": "".join(line + "\n" for line in edit.new)}}


def workflow_commands(findings: Iterable[Finding]) -> list[str]:
    """Return the workflow commands by which GitHub shows findings beside the code.

    Args:
        findings: What was found.
    """
    return [
        f"::{_COMMANDS[finding.severity]} file={_property(finding.file)},line={finding.line},col={finding.column},"
        f"title={_property(f'{finding.rule} {finding.slug}')}::{_data(f'{finding.message}. {finding.fix}')}"
        for finding in findings
    ]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
