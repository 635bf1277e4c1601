"""Commands that an answer proposes, so that they work where a person types them."""

import shlex
import shutil
import sys
from pathlib import Path

from contracts.settings import Settings

PROGRAM = "fsdp-agent"
"""Name of the command line."""
_DEFAULT_HOME = ".fsdp-agent"


def command(settings: Settings, *words: str) -> str:
    """Return a command line of this agent's, for a shell.

    The program is named by its path where the search path does not lead to it: a client
    starts its server by an absolute path, out of an environment that no other shell knows.
    The home folder is named where it is not the default one.

    Args:
        settings: The home folder.
        words: Command, arguments and options.
    """
    home = Path(settings.home).absolute()
    place = [] if home == Path.home() / _DEFAULT_HOME else ["--home", str(home)]
    return shlex.join([_program(), *words, *place])


def _program() -> str:
    ours = Path(sys.executable).with_name(PROGRAM)
    found = shutil.which(PROGRAM)
    if not ours.exists() or (found is not None and Path(found).samefile(ours)):
        return PROGRAM
    return str(ours)
