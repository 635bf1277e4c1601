"""`fsdp-agent n8n`: put credentials and workflows into an n8n, and take them out again."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

import typer

from contracts.errors import InputError
from interfaces.agents import refuse_under_agent
from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, JsonFlag, output, settings

if TYPE_CHECKING:
    from graph.callers import Tokens
    from interfaces.n8n.api import Api
    from interfaces.n8n.command import Command
    from interfaces.n8n.workflows import Workflow
    from interfaces.results_n8n import N8nChange

QUESTION = "Full fine-tune of Llama-3-70B, seq 8192, on 16 H100"
"""What the proposed first call asks."""

_MOST_KEY_CHARACTERS = 4096
_DEFAULT_PORT = 2024

UrlOption = Annotated[str, typer.Option("--url", help="Address of n8n.")]
KeyOption = Annotated[
    Path | None,
    typer.Option("--api-key-file", help="File with a key of n8n's public API; without one n8n's command is used."),
]
ProgramOption = Annotated[str, typer.Option("--n8n", help="The n8n command, where there is no key.")]
BearerOption = Annotated[str, typer.Option("--token", help="Name of the token that n8n bears.")]
ServerOption = Annotated[str, typer.Option("--server", help="Address of fsdp-agent serve, as n8n sees it.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(help="n8n: install or remove credentials and workflows.", no_args_is_help=True)
    for command in (install, remove):
        group.command()(command)
    app.add_typer(group, name="n8n")


def install(
    url: UrlOption = "http://localhost:5678",
    api_key_file: KeyOption = None,
    n8n: ProgramOption = "n8n",
    server: ServerOption = f"http://127.0.0.1:{_DEFAULT_PORT}",
    approver: Annotated[
        Path | None,
        typer.Option("--approver", help="Let n8n decide too; the approver's token is written into this file, for you."),
    ] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Then serve, as fsdp-agent serve --plain does.")] = False,
    bearer: BearerOption = "n8n",
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Make a token, put it with the workflows into n8n and publish them; again brings both up to date.

    The token is given to n8n alone. Approving stays outside n8n unless --approver is given.
    """
    from interfaces.n8n.workflows import APPROVER, SUBMITTER, address, workflows
    from interfaces.results_n8n import N8nChange

    refuse_under_agent("making a token")
    if serve and output(json, form).as_json:
        raise InputError("--serve goes on after the one object of --json", hint="leave one of them out")
    url, server = address(url, "--url"), address(server, "--server")
    wanted = workflows(approver is not None)
    names = {SUBMITTER: bearer} | ({APPROVER: f"{bearer}-approver"} if approver else {})
    with _way(url, api_key_file, n8n) as way:
        way.check()  # before a token is made: a refused key leaves an earlier token as it was
        made = _made(_tokens(home), names, approver)
        ids = way.install(wanted, made, server)
    first = shlex.join(["curl", "-s", f"{url}/webhook/fsdp-ask", "-H", "Content-Type: application/json", "-d"])
    change = N8nChange(
        change="installed",
        by=_by(api_key_file),
        n8n=url,
        server=server,
        workflows=_rows(wanted, ids, url),
        tokens=tuple(names.values()),
        first_question=f"""{first} '{{"text": "{QUESTION}"}}'""",
    )
    _tell(change, json, form, serve)
    return _serve(server, home) if serve else exits.ANSWERED


def remove(
    url: UrlOption = "http://localhost:5678",
    api_key_file: KeyOption = None,
    n8n: ProgramOption = "n8n",
    bearer: BearerOption = "n8n",
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Take workflows, credentials and the token away again.

    With a key nothing of them is left. n8n's command cannot delete: it unpublishes the
    workflows and empties the credentials, and a person deletes them in n8n.
    """
    from interfaces.n8n.workflows import address, workflows
    from interfaces.results_n8n import N8nChange

    refuse_under_agent("removing a token")
    url = address(url, "--url")
    tokens = _tokens(home)
    names = [name for name in (bearer, f"{bearer}-approver") if any(kept.name == name for kept in tokens.kept())]
    for name in names:  # first: whatever n8n keeps is worth nothing from now on
        tokens.remove(name)
    wanted = workflows(approver=api_key_file is not None or f"{bearer}-approver" in names)
    with _way(url, api_key_file, n8n) as way:
        ids = way.remove(wanted)
    change = N8nChange(
        change="removed",
        by=_by(api_key_file),
        n8n=url,
        server="",
        workflows=_rows(wanted, ids, url),
        tokens=tuple(names),
        first_question="",
    )
    _tell(change, json, form, False)
    return exits.ANSWERED


def _way(url: str, key_file: Path | None, program: str) -> "Api | Command":
    if key_file is None:
        from interfaces.n8n.command import Command

        return Command(program)
    from interfaces.n8n.api import Api

    return Api(url, _key(key_file))


def _key(path: Path) -> str:
    """Return the key in a file; `-` is standard input."""
    if str(path) == "-":
        text = sys.stdin.read(_MOST_KEY_CHARACTERS)
    else:
        with open(path, "rb") as stream:
            if os.fstat(stream.fileno()).st_mode & 0o077:
                print(f"warning: {path} can be read by others; chmod 600 {shlex.quote(str(path))}", file=sys.stderr)
            text = stream.read(_MOST_KEY_CHARACTERS).decode("utf-8", "replace")
    key = text.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise InputError(f"{path} holds no API key", hint="one line: the key as n8n showed it")
    return key


def _by(key_file: Path | None) -> Literal["api", "command"]:
    return "command" if key_file is None else "api"


def _tokens(home: HomeOption) -> "Tokens":
    from graph.callers import Tokens
    from runners import Home

    return Tokens(Home(settings(home).home))


def _made(tokens: "Tokens", names: dict[str, str], approver: Path | None) -> dict[str, str]:
    """Return new tokens by credential; earlier ones of these names, and so an earlier installation's, end."""
    from interfaces.n8n.workflows import APPROVER

    made = {}
    for credential, name in names.items():
        if any(kept.name == name for kept in tokens.kept()):
            tokens.remove(name)
        made[credential] = tokens.add(name, "approve" if credential == APPROVER else "submit")
    if approver is not None:
        _hand_over(made[APPROVER], approver)
    return made


def _hand_over(token: str, path: Path) -> None:
    """Put a token into a file that only its owner can read, in place of what was there."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(f"{token}\n")
    fresh.replace(path)


def _rows(wanted: "tuple[Workflow, ...]", ids: dict[str, str], url: str) -> tuple[dict[str, str], ...]:
    shown = [flow for flow in wanted if flow.name in ids]
    where = {flow.name: f"{url}/webhook/{flow.path}" if flow.path else "" for flow in shown}
    return tuple({"name": flow.name, "id": ids[flow.name], "address": where[flow.name]} for flow in shown)


def _tell(change: "N8nChange", json: bool, form: Form, serving: bool) -> None:
    out = output(json, form)
    if out.as_json:
        out.answer(change)
        return
    where = change.n8n if change.by == "api" else "the n8n of this machine"
    said = "installed in" if change.change == "installed" else "removed from"
    out.progress(f"{said} {where}: {len(change.workflows)} workflows; tokens: {', '.join(change.tokens) or 'none'}")
    for flow in change.workflows:
        out.progress(f"  {flow.name:24} {flow.address or 'started in the editor'}")
    if change.by == "command":
        kept = "; unpublished workflows and empty credentials are left there to delete" if said[0] == "r" else ""
        out.progress(f"restart n8n: the change takes effect with its next start{kept}")
    if change.first_question:
        if not serving:
            out.progress("serve beside it: fsdp-agent serve --plain")
        out.progress(f"then ask:\n{change.first_question}")


def _serve(server: str, home: HomeOption) -> int:
    from interfaces.cli.serve import serve

    return serve(port=urlsplit(server).port or _DEFAULT_PORT, plain=True, home=home)
