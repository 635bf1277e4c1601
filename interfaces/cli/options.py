"""Options that several commands have in common."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from interfaces.cli.output import Output

if TYPE_CHECKING:
    from contracts.settings import Settings


class Form(StrEnum):
    """Form of the answer."""

    text = "text"
    json = "json"


JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else there.")]
FormatOption = Annotated[Form, typer.Option("--format", help="json is the same as --json.")]
HomeOption = Annotated[
    Path | None,
    typer.Option("--home", help="Folder of plans, runs, threads and secrets (FSDP_AGENT_HOME, ~/.fsdp-agent)."),
]
InterpreterOption = Annotated[
    str | None,
    typer.Option("--interpreter", help="Python of the training environment; the agent's own where absent."),
]


def output(json: bool, form: Form) -> Output:
    """Return the output that `--json` and `--format` ask for."""
    return Output(as_json=json or form is Form.json)


def settings(home: Path | None, interpreter: str | None = None) -> "Settings":
    """Return the settings that the options, then the environment, then the defaults give.

    Raises:
        FileUnreadable: What is named as the home folder is no folder.
    """
    from contracts.settings import Settings
    from interfaces.cli.os_errors import refuse_no_folder

    named = {"home": str(home.expanduser().absolute())} if home else {}
    chosen = Settings(**named, interpreter=interpreter)
    refuse_no_folder(str(Path(chosen.home).expanduser().absolute()))
    return chosen


def same_home(home: Path | None) -> str:
    """Return what a command that is proposed to a person needs to find the same home folder."""
    import shlex

    return f" --home {shlex.quote(str(home))}" if home else ""
