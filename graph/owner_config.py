"""What the owner of this machine permits, from a file that only the owner can write.

```toml
# $FSDP_AGENT_CONFIG, or ~/.config/fsdp-agent/config.toml
[[approval.allow_yes]]
request = "tiny.yaml"    # relative to this file
sha256 = "7ca5..."       # of the file's bytes: another content is another request

[approval]
elicitation = true       # an MCP client may put the question to the person in front of it

[server]
roots = ["/data/logs"]   # folders that callers over HTTP and MCP may name
interpreters = ["/opt/train/bin/python"]
origins = ["https://studio.example.com"]
hosts = ["fsdp.example.com"]
notify = ["/usr/local/bin/tell-the-team"]   # run at every end of a job, with JSON on its standard input

[threads]
postgres = "postgresql://fsdp@db.example.com/fsdp"   # in place of SQLite in the home folder
```

It keeps an honest caller from starting what nobody looked at. It is no barrier against a
program that runs as the owner and can write this file.
"""

import os
import stat
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from contracts.base import Contract
from contracts.canonical import file_sha256
from contracts.errors import FileUnreadable, NotAllowed, RequestInvalid

_MAX_BYTES = 1 << 20


class AllowedRequest(Contract):
    """A request file whose launches `--yes` may approve."""

    path: str
    """Absolute path, links resolved."""
    sha256: str
    """SHA-256 of its bytes, 64 hex digits."""


class OwnerConfig(Contract):
    """What the owner wrote, with every path made absolute."""

    path: str
    """Absolute path of the configuration file, whether or not it exists."""
    allow_yes: tuple[AllowedRequest, ...] = ()
    """The request files whose launches `--yes` may approve."""
    elicitation: bool = False
    """Whether an MCP client may put an approval to the person in front of it."""
    roots: tuple[str, ...] = ()
    """Absolute paths of the folders that callers over HTTP and MCP may name."""
    interpreters: tuple[str, ...] = ()
    """Training interpreters that their requests may name."""
    origins: tuple[str, ...] = ()
    """Origins of web pages that may call the server, besides this machine's own and Studio's."""
    hosts: tuple[str, ...] = ()
    """Names under which the server may be called, besides this machine's own."""
    notify: tuple[str, ...] = ()
    """Program, as an argument list, that is told of every end of a job."""
    postgres: str = ""
    """URL of the PostgreSQL database that holds the threads; empty: SQLite in the home folder."""


def config_path() -> Path:
    """Return where the owner's configuration is, or would be."""
    named = os.environ.get("FSDP_AGENT_CONFIG")
    return Path(named).expanduser().absolute() if named else Path.home() / ".config" / "fsdp-agent" / "config.toml"


def load_owner_config() -> OwnerConfig:
    """Read the owner's configuration; no file permits nothing.

    Raises:
        FileUnreadable: FSDP_AGENT_CONFIG names a file that cannot be read.
        NotAllowed: Others than the user can write the file, so it proves nothing.
        RequestInvalid: The file is no TOML, or holds a key that is not known.
    """
    path = config_path()
    try:
        text = _read_if_trusted(path)
    except FileNotFoundError:
        if os.environ.get("FSDP_AGENT_CONFIG"):
            raise FileUnreadable(f"FSDP_AGENT_CONFIG names {path}, which does not exist") from None
        return OwnerConfig(path=str(path))
    except OSError as error:
        raise FileUnreadable(f"owner's configuration {path}: {error.strerror or error}") from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RequestInvalid(f"{path} is no valid TOML: {error}", code="config_invalid") from None
    _refuse_unknown(table, ("approval", "server", "threads"), "", path)
    approval = _typed(table.get("approval", {}), dict, "approval", "a table", path)
    _refuse_unknown(approval, ("allow_yes", "elicitation"), "approval.", path)
    threads = _typed(table.get("threads", {}), dict, "threads", "a table", path)
    _refuse_unknown(threads, ("postgres",), "threads.", path)
    return OwnerConfig(
        path=str(path),
        postgres=_typed(threads.get("postgres", ""), str, "threads.postgres", "a URL", path),
        allow_yes=tuple(_allowed_requests(approval, path)),
        elicitation=_typed(approval.get("elicitation", False), bool, "approval.elicitation", "true or false", path),
        **_server_lists(table, path),
    )


def require_yes(config: OwnerConfig, request: Path) -> None:
    """Let `--yes` pass for one request file, or refuse it.

    Args:
        config: The owner's configuration.
        request: The request file that is to be run.

    Raises:
        NotAllowed: The request file is not listed with its content; the hint says what to add.
        FileUnreadable: The request file cannot be read.
    """
    resolved = str(request.resolve())
    try:
        sha256 = file_sha256(resolved)
    except OSError as error:
        raise FileUnreadable(f"cannot read the request file {request}: {error.strerror}") from None
    listed = [entry for entry in config.allow_yes if entry.path == resolved]
    if any(entry.sha256 == sha256 for entry in listed):
        return
    why = "lists it with another content" if listed else "does not list it"
    raise NotAllowed(
        f"--yes may not approve {request}: the owner's configuration {config.path} {why}",
        code="yes_not_allowed",
        hint=f"the owner may add these lines to {config.path} (mode 600):\n"
        f'[[approval.allow_yes]]\nrequest = "{_toml_text(resolved)}"\nsha256 = "{sha256}"',
    )


def _read_if_trusted(path: Path) -> str:
    # The open file is examined, not its name, so that nothing can be swapped in between.
    with open(path, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise FileUnreadable(f"owner's configuration {path} is not a regular file")
        if status.st_uid != os.geteuid():
            raise NotAllowed(
                f"owner's configuration {path} belongs to user {status.st_uid}, not to you (user {os.geteuid()})",
                code="config_not_trusted",
            )
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise NotAllowed(
                f"owner's configuration {path} can be written by others (mode {stat.S_IMODE(status.st_mode):o})",
                code="config_not_trusted",
                hint=f"chmod 600 {path}",
            )
        raw = stream.read(_MAX_BYTES + 1)
    if len(raw) > _MAX_BYTES:
        raise RequestInvalid(f"{path} is larger than {_MAX_BYTES} bytes", code="config_invalid")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestInvalid(f"{path} is no UTF-8 text: byte {error.start}", code="config_invalid") from None


def _server_lists(table: Mapping[str, Any], path: Path) -> dict[str, tuple[str, ...]]:
    server = _typed(table.get("server", {}), dict, "server", "a table", path)
    names = ("roots", "interpreters", "origins", "hosts", "notify")
    _refuse_unknown(server, names, "server.", path)
    lists: dict[str, tuple[str, ...]] = {}
    for name in names:
        entries = _typed(server.get(name, []), list, f"server.{name}", "a list of texts", path)
        lists[name] = tuple(_typed(entry, str, f"server.{name}", "a list of texts", path) for entry in entries)
    lists["roots"] = tuple(str((path.parent / Path(root).expanduser()).resolve()) for root in lists["roots"])
    return lists


def _allowed_requests(approval: Mapping[str, Any], path: Path) -> Iterable[AllowedRequest]:
    entries = _typed(approval.get("allow_yes", []), list, "approval.allow_yes", "a list of tables", path)
    for number, entry in enumerate(entries, start=1):
        where = f"approval.allow_yes (entry {number})"
        _typed(entry, dict, where, "a table", path)
        _refuse_unknown(entry, ("request", "sha256"), f"{where}: ", path)
        request = _typed(entry.get("request"), str, f"{where}: request", "the path of a request file", path)
        sha256 = _typed(entry.get("sha256"), str, f"{where}: sha256", "the SHA-256 of the request file", path)
        yield AllowedRequest(path=str((path.parent / Path(request).expanduser()).resolve()), sha256=sha256.lower())


def _refuse_unknown(table: Mapping[str, Any], known: tuple[str, ...], where: str, path: Path) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0.5)
            meant = f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known)}"
            raise RequestInvalid(f"{path}: unknown key {where}{key}{meant}", code="config_invalid")


def _typed(value: Any, kind: type, where: str, wanted: str, path: Path) -> Any:
    if not isinstance(value, kind):
        raise RequestInvalid(f"{path}: {where} must be {wanted}, not {value!r}", code="config_invalid")
    return value


def _toml_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
