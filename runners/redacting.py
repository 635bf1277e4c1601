"""Secrets taken out of what a job says, before it is shown or recorded.

A secret reaches a job by the name of a variable alone; its value is in no file of ours.
But a job may print it. Known are the values of the passed variables, as far as the
reader has them itself, and the forms of common tokens. Standard library only.
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from runners.files import read_object
from runners.rundir import RunDir

_SECRET_NAME = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|COOKIE", re.IGNORECASE)
_SHORTEST_CHARS = 4
"""A shorter value would be found in ordinary words."""
_LOOKS_SECRET = re.compile(r"[A-Za-z0-9+=_-]{20,}")
"""Of a variable with an ordinary name: one long word, no path, no sentence."""
_TOKENS = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{30,}"  # Hugging Face
    r"|sk-[A-Za-z0-9_-]{20,}"  # model providers
    r"|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}"
    r"|glpat-[A-Za-z0-9_-]{20,}"
    r"|AKIA[0-9A-Z]{16}"  # AWS access key id
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})"  # JSON web token
)
_TOKEN_MARKS = ("hf_", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "AKIA", "eyJ")
"""What holds none of these is no token; looking for them is quicker, and events are read by the hundred megabytes."""
_BEARER = re.compile(r"(?i)\b(authorization\s*[:=]\s*(?:bearer|basic)\s+)\S+")
_DEPTH_LIMIT = 20


class Redactor:
    """Replaces the secrets that one run was given."""

    def __init__(self, names: Iterable[str], source: Mapping[str, str] | None = None) -> None:
        """Look the values up.

        Args:
            names: Variables that are passed to the job.
            source: The environment; the process's own where None.
        """
        source = os.environ if source is None else source
        found = {source[name]: name for name in names if name in source and _is_secret(name, source[name])}
        # the longest first: one may contain another
        self._values = sorted(found.items(), key=lambda pair: len(pair[0]), reverse=True)

    def text(self, text: str) -> str:
        """Return text with `[redacted: NAME]` for known values and `[redacted]` for what has a token's form."""
        for value, name in self._values:
            text = text.replace(value, f"[redacted: {name}]")
        if not any(mark in text for mark in _TOKEN_MARKS) and "authorization" not in text.lower():
            return text
        return _BEARER.sub(r"\1[redacted]", _TOKENS.sub("[redacted]", text))

    def passes(self, line: str) -> bool:
        """Tell whether a line of JSON holds nothing to redact, so that its data need not be gone through.

        A line with an escape may hide what it holds, and one with much nesting is left to `data`.
        """
        plain = "\\" not in line and line.count("{") + line.count("[") <= _DEPTH_LIMIT
        return plain and self.text(line) == line

    def data(self, value: Any, depth: int = 0) -> Any:
        """Return plain JSON data with every string in it redacted; what is nested deeper than 20 is left out."""
        if isinstance(value, str):
            return self.text(value)
        if depth == _DEPTH_LIMIT:
            return None
        if isinstance(value, dict):
            return {self.text(str(key)): self.data(part, depth + 1) for key, part in value.items()}
        return [self.data(part, depth + 1) for part in value] if isinstance(value, list) else value


def redactor_of(run: RunDir) -> Redactor:
    """Return the redactor for what a run's processes say."""
    names = (read_object(run.spec) or {}).get("env_passed")
    return Redactor(name for name in names if isinstance(name, str)) if isinstance(names, list) else Redactor(())


def _is_secret(name: str, value: str) -> bool:
    if len(value) < _SHORTEST_CHARS:
        return False
    return bool(_SECRET_NAME.search(name) or _LOOKS_SECRET.fullmatch(value))
