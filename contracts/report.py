"""Report: where the written account of a thread is, and its gist."""

from contracts.amendment import Round
from contracts.base import Contract


class Report(Contract):
    """The written account of what was asked, decided, run and found."""

    path: str | None
    """Absolute path of the Markdown file; None where nothing was worth a file."""
    pictures: tuple[str, ...] = ()
    """Absolute paths of its pictures."""
    summary: str
    """The gist in a few sentences, in the answer's language."""
    loss_first: float | None = None
    """First reported training loss in nats per token."""
    loss_last: float | None = None
    """Last reported training loss in nats per token."""
    rounds: tuple[Round, ...] = ()
    """What was changed after runs that failed, and whether it held."""
