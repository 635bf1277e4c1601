"""Registry: the rules, found by looking into the package `rules` and the file `tables.yaml`."""

import importlib
import pkgutil
from functools import cache
from typing import NamedTuple

from engines.review import rules
from engines.review.rule import Check, Rule
from engines.review.tables import table_rules

NOT_DECIDABLE = {
    "FSDP066": "cast-inputs-precision: whether an argument of a block is a float tensor that must stay fp32"
    " is a matter of its dtype at run time; the text does not hold it",
}
"""Known mistakes that no rule looks for, each with the reason."""


class Entry(NamedTuple):
    """A rule with its check."""

    rule: Rule
    check: Check


@cache
def entries() -> tuple[Entry, ...]:
    """Return every rule, by id. A module of `rules` is one by having `RULE` and `check`."""
    found = []
    for info in pkgutil.iter_modules(rules.__path__):
        module = importlib.import_module(f"{rules.__name__}.{info.name}")
        rule: Rule = module.RULE
        assert info.name == rule.slug.replace("-", "_"), f"{info.name}.py must be named after {rule.slug}"
        found.append(Entry(rule, module.check))
    found += [Entry(rule, check) for rule, check in table_rules()]
    found.sort(key=lambda entry: entry.rule.id)
    ids = [entry.rule.id for entry in found]
    assert len(ids) == len(set(ids)), f"rule ids are not unique: {ids}"
    return tuple(found)


def by_id(rule_id: str) -> Entry:
    """Return a rule by its id.

    Raises:
        KeyError: There is none.
    """
    for entry in entries():
        if entry.rule.id == rule_id:
            return entry
    raise KeyError(rule_id)
