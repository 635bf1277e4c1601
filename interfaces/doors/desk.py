"""The desk: what an operation needs to know of the call besides its input."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.settings import Settings
from graph.callers import Caller
from graph.owner_config import OwnerConfig
from graph.roots import Roots

if TYPE_CHECKING:
    from graph.owners import Owners


@dataclass(frozen=True)
class Desk:
    """Who calls, what may be read, and where the agent's home is."""

    settings: Settings
    """Home folder and training interpreter: the server's own, never the caller's."""
    caller: Caller
    """Who calls."""
    roots: Roots
    """What the caller may name."""
    told: Callable[[str], None] | None = None
    """Is told what long work is about, while it goes on; None: nobody listens."""

    @property
    def owners(self) -> "Owners":
        """Whose thread is whose."""
        from graph.owners import Owners
        from runners import Home

        return Owners(Home(self.settings.home))


def desk_of(settings: Settings, config: OwnerConfig, caller: Caller) -> Desk:
    """Return the desk of somebody who was let in: the owner's roots, nothing of the request's."""
    return Desk(settings, caller, Roots(config.roots, config.interpreters))
