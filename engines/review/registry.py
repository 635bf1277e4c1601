"""Registry: the rules, found by looking into the package `rules` and the file `tables.yaml`."""

import importlib
import pkgutil
from difflib import get_close_matches
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


_OF_SUPPRESSIONS = {
    "RV001": "unused-suppression",
    "RV002": "suppression-without-reason",
    "RV003": "suppression-without-rule",
}
_MOST_NEAR = 3


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


def unknown_rule(name: str) -> tuple[str, ...] | None:
    """Return what may be meant by a name that no rule's id is or starts with; None where one does.

    Args:
        name: An id or the start of one, as a user gives it.

    Returns:
        Up to three ids with their names; empty where nothing is near.
    """
    slugs = {entry.rule.id: entry.rule.slug for entry in entries()} | _OF_SUPPRESSIONS
    if any(rule.startswith(name) for rule in (*slugs, *NOT_DECIDABLE)):
        return None
    wanted = name.upper().replace("_", "-")
    near = [rule for rule, slug in slugs.items() if slug.upper() == wanted]
    near += [rule for rule in slugs if rule.startswith(wanted)]
    near += get_close_matches(wanted, slugs, n=_MOST_NEAR, cutoff=0.7)
    by_slug = {slug.upper(): rule for rule, slug in slugs.items()}
    near += [by_slug[slug] for slug in get_close_matches(wanted, by_slug, n=_MOST_NEAR, cutoff=0.7)]
    return tuple(f"{rule} ({slugs[rule]})" for rule in dict.fromkeys(near))[:_MOST_NEAR]


def by_id(rule_id: str) -> Entry:
    """Return a rule by its id.

    Raises:
        KeyError: There is none.
    """
    for entry in entries():
        if entry.rule.id == rule_id:
            return entry
    raise KeyError(rule_id)
