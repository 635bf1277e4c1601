"""Finds the causes: every module of `causes` has a RULE."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from engines.diagnosis import causes
from engines.diagnosis.cause import CauseRule


@cache
def cause_rules() -> tuple[CauseRule, ...]:
    """Return all causes in alphabetical order."""
    names = sorted(module.name for module in iter_modules(causes.__path__))
    return tuple(import_module(f"{causes.__name__}.{name}").RULE for name in names)
