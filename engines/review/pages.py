"""docs/review, written from the rules and their fixtures: `python -m engines.review.pages`.

```
README.md        every rule: what it is called, how bad it is, whether --fix mends it
rules/<ID>.md    one rule: why, when it is silent, what to change, bad and good code
first-step.md    written by hand, and left alone
```
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

from engines.review import rules
from engines.review.registry import NOT_DECIDABLE, Entry, entries
from engines.review.repairs import REPAIRS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "review"
"""Where the pages are kept in the repository."""
FIXTURES = ROOT / "tests" / "cases" / "review_rules"
_WRITTEN = "Written by `python -m engines.review.pages` from `engines/review`; a test compares them."
_GROUPS = {
    "FSDP": "PyTorch code",
    "HF": "Accelerate and Transformers",
    "LT": "Lightning",
    "TT": "torchtitan",
    "TU": "torchtune",
    "AX": "Axolotl",
    "LN": "Launch",
    "KF": "Kubernetes",
}
"""Headings by the letters of a rule's id."""
_READS = {
    "flow": "what Python code does, in its order",
    "names": "names of libraries in Python code",
    "environment": "variables that scripts and code set",
    "config": "configurations: files, and arguments of calls",
    "launch": "launch scripts",
    "requirements": "pinned versions",
    "manifest": "Kubernetes manifests",
}
_LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json", ".ipynb": "json"}
MAX_EXAMPLE_LINES = 40
"""A longer fixture is no example."""


def pages() -> dict[str, str]:
    """Return the text of every page by its path below the folder."""
    found = {"README.md": _index()}
    return found | {f"rules/{entry.rule.id}.md": _page(entry) for entry in entries()}


def write(folder: Path = FOLDER) -> None:
    """Write every page, and take away those of rules that are gone.

    Raises:
        OSError: The folder cannot be written.
    """
    wanted = pages()
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")
    for file in (folder / "rules").glob("*.md"):
        if f"rules/{file.name}" not in wanted:
            file.unlink()


def _index() -> str:
    lines = ["# Rules of the review", "", _WRITTEN, ""]
    lines += ["What only a run shows is asked by the [first-step check](first-step.md).", ""]
    for letters, heading in _GROUPS.items():
        lines += [f"## {heading}", "", "| rule | | severity | torch | --fix |", "| --- | --- | --- | --- | --- |"]
        for entry in entries():
            rule = entry.rule
            if rule.id.rstrip("0123456789") == letters:
                mends = "yes" if rule.id in REPAIRS else ""
                torch = f"`{rule.torch}`" if rule.torch else ""
                lines.append(f"| [{rule.id}](rules/{rule.id}.md) | {rule.slug} | {rule.severity} | {torch} | {mends} |")
        lines.append("")
    lines += ["## Not decided by reading", ""]
    lines += [f"- {rule_id}: {reason}" for rule_id, reason in NOT_DECIDABLE.items()]
    return "\n".join(lines) + "\n"


def _page(entry: Entry) -> str:
    rule = entry.rule
    lines = [f"# {rule.id}: {rule.slug.replace('-', ' ')}", "", _WRITTEN, ""]
    lines += [f"Severity: {rule.severity}. Reads {_READS[rule.reads]}."]
    if rule.torch:
        lines += [f"Concerns torch {rule.torch}."]
    lines += ["", *_explained(entry), "", f"**What to change.** {rule.fix}", ""]
    if rule.id in REPAIRS:
        lines += ["`fsdp-agent review --fix` writes this edit where it is safe.", ""]
    links = [f"[{slug}](../../knowledge/cards/{slug}.md)" for slug in (rule.card or rule.slug, *rule.cards)]
    lines += [f"Mechanism and sources: {', '.join(links)}.", ""]
    for kind, heading in (("bad", "Found"), ("good", "Not found")):
        example = _example(rule.id, kind)
        lines += [f"## {heading}", "", *example, ""] if example else []
    return "\n".join(lines).rstrip() + "\n"


def _explained(entry: Entry) -> Iterator[str]:
    """Yield what the rule's file says of itself; for a rule of the table, its messages."""
    module = f"{rules.__name__}.{entry.rule.slug.replace('-', '_')}"
    try:
        text = importlib.import_module(module).__doc__ or ""
    except ModuleNotFoundError:
        rows = getattr(entry.check, "args", ((),))[0]
        yield from dict.fromkeys(f"- {row['message']}" for row in rows)
        return
    first = text.strip().partition(": ")[2]
    yield first[:1].upper() + first[1:]


def _example(rule_id: str, kind: str) -> list[str]:
    """Return the shortest fixture of one file as a block; a folder's files where there is no such."""
    found = sorted((FIXTURES / rule_id).glob(f"{kind}_*"))
    files = [file for file in found if file.is_file()]
    short = sorted(files, key=lambda file: (len(file.read_text().splitlines()), file.name))[:1]
    short = short or [file for folder in found[:1] for file in sorted(folder.iterdir()) if file.is_file()]
    lines: list[str] = []
    for file in short:
        text = file.read_text().rstrip().splitlines()
        if len(text) > MAX_EXAMPLE_LINES:
            continue
        language = _LANGUAGES.get(file.suffix, "sh" if file.suffix in (".sh", ".sbatch", ".slurm") else "")
        head = [f"`{file.name}`:", ""] if len(short) > 1 else []
        lines += [*([""] if lines else []), *head, f"```{language}", *text, "```"]
    return lines


if __name__ == "__main__":
    write()
