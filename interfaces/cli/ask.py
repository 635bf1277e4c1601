"""`fsdp-agent ask`."""

from typing import Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, JsonFlag, output


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ask)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question about FSDP.")],
    torch: Annotated[str | None, typer.Option(help="Version of torch that the answer is to speak of.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Answer a question with citations.

    Exit code 3 where the knowledge base does not cover it.
    """
    from interfaces.service import ask as answer_to

    out = output(json, form)
    answer = answer_to(question, torch)
    if out.as_json:
        out.answer(answer)
    else:
        out.progress(answer.answer)
        for cited in answer.citations:
            out.progress(f"  [{cited.card}] {cited.source} ({cited.evidence})")
        if answer.notice:
            out.progress(f"({answer.notice})")
        if answer.nearest and not answer.covered:
            out.progress(f"nearest: {', '.join(answer.nearest)}")
    return exits.ANSWERED if answer.covered else exits.CANNOT_BE_KNOWN
