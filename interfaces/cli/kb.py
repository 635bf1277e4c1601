"""`fsdp-agent kb ...`: what is known, and what proves it."""

from typing import TYPE_CHECKING, Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, JsonFlag, output
from interfaces.cli.text import one_line, visible

if TYPE_CHECKING:
    from contracts.probe import CardVerdict
    from interfaces.results_kb import CardList
    from knowledge.card import Card

Subjects = Annotated[list[str] | None, typer.Option("--applies-to", help="About this, such as fsdp2; may be repeated.")]
TorchOption = Annotated[str | None, typer.Option("--torch", help="Version of torch, such as 2.13.")]

app = typer.Typer(help="The knowledge base: cards, search, proofs.", rich_markup_mode=None)


def add_to(root: typer.Typer) -> None:
    """Add the commands of this file."""
    root.add_typer(app, name="kb")


@app.command(name="list")
def list_(
    kind: Annotated[str | None, typer.Option(help="Sort of statement, such as pitfall.")] = None,
    applies_to: Subjects = None,
    torch: TorchOption = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """List the cards."""
    from interfaces.service_kb import list_cards

    out = output(json, form)
    found = list_cards(kind, applies_to or (), torch)
    if out.as_json:
        out.answer(found)
    else:
        out.progress(_lines(found))
    return exits.ANSWERED


@app.command()
def show(
    card: Annotated[str, typer.Argument(metavar="CARD", help="Slug of the card.")],
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Show one card."""
    from interfaces.service_kb import show_card

    out = output(json, form)
    found = show_card(card)
    if out.as_json:
        out.answer(found)
    else:
        out.progress(_card_text(found.card, found.recorded))
    return exits.ANSWERED


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="Words, a symbol, or an error message.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="Cards at most.")] = 10,
    applies_to: Subjects = None,
    torch: TorchOption = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Search the cards."""
    from interfaces.service_kb import search_cards

    out = output(json, form)
    found = search_cards(query, limit, torch, applies_to or ())
    if out.as_json:
        out.answer(found)
    else:
        out.progress(_lines(found) or "nothing found")
    return exits.ANSWERED if found.cards else exits.CANNOT_BE_KNOWN


@app.command()
def verify(
    card: Annotated[list[str] | None, typer.Argument(metavar="[CARD]...", help="Cards; all where none.")] = None,
    torch_python: Annotated[str | None, typer.Option(help="Python whose torch is asked about.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Record the verdicts beside the cards.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, max=64, help="Probes that run at a time.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Run the proofs of cards on an installed torch.

    Exit code 1 where a claim failed.
    """
    from interfaces.service_kb import verify_cards

    out = output(json, form)
    found = verify_cards(
        card or (),
        torch_python,
        write=write,
        jobs=jobs,
        progress=lambda verdict: out.progress(_verdict_line(verdict)),
    )
    if out.as_json:
        out.answer(found)
    else:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.counts.items()))
        out.progress(f"torch {found.torch}: {counts or 'no cards'} ({found.seconds} s)")
    return exits.BAD_NEWS if found.counts.get("failed") else exits.ANSWERED


def _lines(found: "CardList") -> str:
    return "\n".join(f"{row.card}  {row.title}  (torch {row.torch}, {row.evidence})" for row in found.cards)


def _verdict_line(verdict: "CardVerdict") -> str:
    detail = f"  {one_line(verdict.detail)}" if verdict.detail else ""
    return f"{verdict.verdict:<14} {verdict.card}  {verdict.seconds:.1f} s{detail}"


def _card_text(card: "Card", recorded: dict[str, str]) -> str:
    proof = f"probe {card.probe}" if card.probe else f"no probe: {card.unprobed}"
    seen = ", ".join(f"{verdict} on {torch}" for torch, verdict in recorded.items())
    parts = [
        f"{card.title}\n{card.slug}: {card.kind}, {', '.join(card.applies_to)}, torch {card.torch}",
        card.claim,
        f"Evidence: {card.evidence}; {proof}{f'; {seen}' if seen else ''}",
        f"What\n{card.what}",
        f"Why\n{card.why}",
        f"What to do\n{card.what_to_do}",
        card.code,
        "Sources\n" + "\n".join(f"- {source.title}: {source.says}\n  {source.url}" for source in card.sources),
    ]
    return visible("\n\n".join(part for part in parts if part))
