"""Baseline: findings that are known, so that only new ones are reported.

A finding is recognised by rule, file and the text of its line (and its number among equal
ones), not by the line's number: code above it may grow.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from contracts.errors import RequestInvalid
from contracts.finding import Finding

VERSION = 1


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return for each finding what recognises it in a later review.

    Args:
        findings: Findings in their order.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for finding in findings:
        key = (finding.rule, PurePath(finding.file).as_posix(), " ".join(finding.text.split()))
        seen[key] += 1
        found.append(hashlib.sha256("\0".join((*key, str(seen[key]))).encode()).hexdigest()[:24])
    return found


def baseline_text(findings: Iterable[Finding]) -> str:
    """Return a baseline file that knows all these findings."""
    known = list(findings)
    entries = [
        {"rule": finding.rule, "file": PurePath(finding.file).as_posix(), "fingerprint": mark}
        for finding, mark in zip(known, fingerprints(known), strict=True)
    ]
    return json.dumps({"version": VERSION, "findings": entries}, indent=1) + "\n"


def unknown_to(baseline: str, name: str, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that a baseline does not know.

    Args:
        baseline: Text of the file.
        name: Its name, for the message.
        findings: What was found.

    Raises:
        RequestInvalid: It is no baseline.
    """
    try:
        read = json.loads(baseline)
        known = {entry["fingerprint"] for entry in read["findings"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RequestInvalid(f"{name} is no baseline", hint="Write one with --write-baseline.") from None
    listed = list(findings)
    return [finding for finding, mark in zip(listed, fingerprints(listed), strict=True) if mark not in known]
