"""The one door to the runners, opened lazily.

The supervisor imports this package with the standard library alone, so nothing is
imported here before it is asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runners.home import Home as Home
    from runners.local import LocalRunner as LocalRunner
    from runners.protocol import Runner as Runner

_PLACES = {"Home": "runners.home", "LocalRunner": "runners.local", "Runner": "runners.protocol"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)
