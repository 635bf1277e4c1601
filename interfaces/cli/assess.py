"""`fsdp-agent assess`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import InputError
from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, JsonFlag, output

if TYPE_CHECKING:
    from contracts.need import Need
    from interfaces.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(assess)


def assess(
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="What is wanted, in English or Danish.")] = None,
    request: Annotated[Path | None, typer.Option(help="Request file, in place of TEXT.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Judge whether FSDP is needed, and why.

    Exit code 1 where it is not (not_needed, wait, out_of_scope) and where FSDP alone is not
    enough, 3 where an input without a sensible default is missing or nothing is known to judge by.
    """
    from interfaces.service import assess as judge
    from interfaces.service import make_request, read_request_file

    if (text is None) == (request is None):
        raise InputError("give either TEXT or --request FILE", hint="fsdp-agent assess 'full fine-tune of ...'")
    if text is not None and not text.strip():
        raise InputError("the text is empty", hint="fsdp-agent assess 'full fine-tune of ...'")
    out = output(json, form)
    need = judge(read_request_file(request) if request is not None else make_request({"text": text}))
    if out.as_json:
        out.answer(need)
    else:
        _print(out, need)
    if need.verdict == "wait" and need.reasons[0].code == "insufficient_information":
        return exits.CANNOT_BE_KNOWN
    if need.verdict != "use_fsdp" or _exceeds(need):
        return exits.BAD_NEWS
    return exits.CANNOT_BE_KNOWN if any(gap.assumed is None for gap in need.missing) else exits.ANSWERED


def _exceeds(need: "Need") -> bool:
    """Tell whether it does not fit, even sharded over every GPU."""
    return any(reason.code == "needs_more_than_fsdp" for reason in need.reasons)


def _print(out: "Output", need: "Need") -> None:
    from interfaces.cli.words import word

    beyond = word("not_on_these", need.language) if _exceeds(need) else ""
    out.progress(f"{need.intent}: {need.verdict}{beyond}")
    for reason in need.reasons:
        out.progress(reason.text + (f"  [{', '.join(reason.cards)}]" if reason.cards else ""))
    for gap in need.missing:
        out.progress(
            gap.question + (f"  ({word('assumed', need.language)}: {gap.assumed})" if gap.assumed is not None else "")
        )
    if need.instead:
        out.progress(need.instead)
    if need.notice:
        out.progress(f"({need.notice})")
