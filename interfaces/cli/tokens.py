"""`fsdp-agent tokens`: who may call the server, and who may approve."""

from typing import TYPE_CHECKING, Annotated

import typer

from interfaces.agents import refuse_under_agent
from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, JsonFlag, output, settings

if TYPE_CHECKING:
    from graph.callers import Tokens

Name = Annotated[str, typer.Argument(metavar="NAME", help="Who bears the token.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(help="Tokens for HTTP: list, add, rotate, remove.", no_args_is_help=True)
    group.command("list")(list_tokens)
    for command in (add, rotate, remove):
        group.command()(command)
    app.add_typer(group, name="tokens")


def list_tokens(json: JsonFlag = False, form: FormatOption = Form.text, home: HomeOption = None) -> int:
    """List who has a token, and what it allows; the tokens themselves are not kept."""
    return _list(_tokens(home), json, form)


def add(
    name: Name,
    approver: Annotated[bool, typer.Option("--approver", help="May also decide on launches.")] = False,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Make a token and print it; it cannot be shown again."""
    refuse_under_agent("making a token")
    return _show(name, _tokens(home).add(name, "approve" if approver else "submit"), json, form)


def rotate(name: Name, json: JsonFlag = False, form: FormatOption = Form.text, home: HomeOption = None) -> int:
    """Replace a token, or the secret of `submitter` or `approver`; the old one is worth nothing from now on.

    A new approver's secret also ends every earlier approval.
    """
    refuse_under_agent("rotating a token")
    return _show(name, _tokens(home).rotate(name), json, form)


def remove(name: Name, json: JsonFlag = False, form: FormatOption = Form.text, home: HomeOption = None) -> int:
    """Take a token away, and list those that are left."""
    refuse_under_agent("removing a token")
    tokens = _tokens(home)
    tokens.remove(name)
    return _list(tokens, json, form)


def _tokens(home: "HomeOption") -> "Tokens":
    from graph.callers import Tokens
    from runners import Home

    return Tokens(Home(settings(home).home))


def _list(tokens: "Tokens", json: bool, form: Form) -> int:
    from interfaces.results import TokenList, TokenRow

    out = output(json, form)
    first = [TokenRow(name="submitter", right="submit"), TokenRow(name="approver", right="approve")]
    rows = [*first, *(TokenRow(name=kept.name, right=kept.right) for kept in tokens.kept())]
    if out.as_json:
        out.answer(TokenList(tokens=tuple(rows)))
    else:
        for row in rows:
            out.progress(f"{row.name:20} {row.right}")
    return exits.ANSWERED


def _show(name: str, token: str, json: bool, form: Form) -> int:
    from interfaces.results import MadeToken

    out = output(json, form)
    if out.as_json:
        out.answer(MadeToken(name=name, token=token))
    else:
        print(token)
    return exits.ANSWERED
