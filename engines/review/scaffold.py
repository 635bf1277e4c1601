"""A new rule: its file and its fixtures, to be filled in. `python -m engines.review.scaffold FSDP130 slug-of-it`.

What is written does not pass the tests: a rule that finds nothing has bad fixtures that fail.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from engines.review.pages import FIXTURES

RULES = Path(__file__).with_name("rules")
_RULE = '''"""{id}: SAY WHAT IS WRONG, AND WHY.

Silent for: SAY WHEN.
"""

from collections.abc import Iterator

from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="{id}", slug="{slug}", severity="{severity}", fix="SAY WHAT TO CHANGE.")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield WHAT."""
    for event in flow.trace.calls():
        yield flow.hit(event, "NAME THE THING IN THE CODE, AND WHAT COMES OF IT")
'''
_BAD = "from torch.distributed.fsdp import fully_shard\n\n\ndef main(model):\n    fully_shard(model)  # <- {id}\n"
_GOOD = "from torch.distributed.fsdp import fully_shard\n\n\ndef main(model):\n    fully_shard(model)\n"


def scaffold(rule_id: str, slug: str, severity: str, rules: Path = RULES, fixtures: Path = FIXTURES) -> list[Path]:
    """Write the files of a new rule, and return them.

    Args:
        rule_id: Such as FSDP130.
        slug: Such as optimizer-before-shard; its knowledge card has this name.
        severity: error, warning or advice.
        rules: Folder of the rules.
        fixtures: Folder of the fixtures.

    Raises:
        ValueError: The id or the slug has the wrong form.
        FileExistsError: There is such a rule.
    """
    if not re.fullmatch(r"[A-Z]{2,4}[0-9]{3}", rule_id):
        raise ValueError(f"{rule_id!r} is no id of a rule: letters and three digits, such as FSDP130")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", slug):
        raise ValueError(f"{slug!r} is no slug: words in lower case with hyphens, such as optimizer-before-shard")
    texts = {rules / f"{slug.replace('-', '_')}.py": _RULE.format(id=rule_id, slug=slug, severity=severity)}
    texts |= {fixtures / rule_id / f"bad_{name}.py": _BAD.format(id=rule_id) for name in ("plain", "helper")}
    texts |= {fixtures / rule_id / f"good_{name}.py": _GOOD for name in ("plain", "guarded")}
    known = [path for path in (*texts, fixtures / rule_id) if path.exists()]
    if known:
        raise FileExistsError(f"{known[0]} exists")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)


def main(words: Sequence[str] | None = None) -> None:
    """Write a rule's files and name them."""
    parser = argparse.ArgumentParser(prog="python -m engines.review.scaffold", description="Begin a rule.")
    parser.add_argument("rule", help="its id, such as FSDP130")
    parser.add_argument("slug", help="its name, such as optimizer-before-shard")
    parser.add_argument("--severity", choices=("error", "warning", "advice"), default="error")
    given = parser.parse_args(words)
    for path in scaffold(given.rule, given.slug, given.severity):
        print(path)
    print(f"Then: knowledge/cards/{given.slug}.md, and `make docs`.")


if __name__ == "__main__":
    main()
