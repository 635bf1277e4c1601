"""What the operating system said, as one sentence that names the path, what is wrong with it and what to do."""

import errno
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from contracts.errors import FileUnreadable, FsdpAgentError

_HOME_HINT = "name a folder that you may write with --home or FSDP_AGENT_HOME; the default is ~/.fsdp-agent"
_WHAT = {
    errno.ENOENT: "does not exist, and cannot be made there",
    errno.EACCES: "may not be read or written by you",
    errno.EPERM: "may not be read or written by you",
    errno.EROFS: "lies on a file system that can only be read",
    errno.ENOTDIR: "lies below a file, not below a folder",
    errno.EEXIST: "exists already and is no folder",
    errno.EISDIR: "is a folder, not a file",
    errno.ENAMETOOLONG: "has a name that is too long",
    errno.ELOOP: "is a link that leads back to itself",
}


def refuse_no_folder(home: str) -> None:
    """Refuse a home folder that is, or lies below, something else than a folder.

    Args:
        home: Its path; it need not exist yet.

    Raises:
        FileUnreadable: It can be no folder.
    """
    place = Path(home)
    there = next(path for path in (place, *place.parents) if os.path.lexists(path))
    if not there.is_dir():
        what = "is no folder" if there == place else f"lies below {there}, which is no folder"
        raise FileUnreadable(f"the home folder {home} {what}", hint=_HOME_HINT)


def from_os(error: OSError, arguments: Sequence[str]) -> FsdpAgentError:
    """Return an error of the operating system as ours.

    Args:
        error: What was raised.
        arguments: The words after `fsdp-agent`.
    """
    named, what = error.filename, _WHAT.get(error.errno or 0)
    if not isinstance(named, str) or what is None:
        return FsdpAgentError(str(error), code="os_error")
    path, home = Path(named).absolute(), _home(arguments)
    if path.is_relative_to(home) or home.is_relative_to(path):
        return FsdpAgentError(f"the home folder cannot be used: {path} {what}", code="os_error", hint=_HOME_HINT)
    if error.errno == errno.ENOENT:
        what = "does not exist"
    return FsdpAgentError(f"{named} {what}", code="os_error", hint="check the path, and who may read and write it")


def _home(arguments: Sequence[str]) -> Path:
    """Return the home folder that a command line names, else that of the environment."""
    said = [after for word, after in pairwise([*arguments, ""]) if word == "--home" and after]
    said += [word.partition("=")[2] for word in arguments if word.startswith("--home=")]
    home = said[0] if said else os.environ.get("FSDP_AGENT_HOME") or "~/.fsdp-agent"
    return Path(home).expanduser().absolute()
