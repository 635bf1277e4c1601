"""What was changed after a run that failed, as text for the person who is to approve it."""

import json

from contracts.amendment import Amendment
from contracts.diagnosis import Diagnosis
from contracts.request import Language
from interfaces.cli.output import Output
from interfaces.cli.text import exact, one_line
from interfaces.cli.words import label, word

_EVIDENCE_MAX = 3


def show_amendment(out: Output, made: Amendment, diagnosis: Diagnosis | None, language: Language = "en") -> None:
    """Print the cause with the lines that prove it, the change, its reason and its cost; nothing is shortened.

    Args:
        out: Where it is printed.
        made: The change.
        diagnosis: Why the run failed.
        language: In which language.
    """
    failed = word("run_failed", language, run=made.after_run, cause=made.cause)
    out.progress(f"{word('round', language, n=made.round):<12} {failed}")
    cause = next((cause for cause in diagnosis.causes if cause.cause == made.cause), None) if diagnosis else None
    if cause is not None:
        out.progress(f"{label('cause', language)} {one_line(cause.summary)} ({cause.confidence:.0%})")
        for entry in cause.evidence[:_EVIDENCE_MAX]:
            out.progress(f"             {exact(entry.file)}:{entry.line}: {one_line(entry.text)}")
    out.progress(f"{label('change', language)} {one_line(made.why)}")
    for place, value in made.settings.items():
        out.progress(f"             {place} = {exact(json.dumps(value))}")
    if made.costs:
        out.progress(f"{label('costs', language)} {one_line(made.costs)}")
    start = exact(made.resumes_from) if made.resumes_from else word("no_checkpoint", language)
    out.progress(f"{label('starts_from', language)} {start}: {one_line(made.resume_reason)}")
    for line in made.diff.splitlines():
        out.progress(f"  {exact(line)}")
