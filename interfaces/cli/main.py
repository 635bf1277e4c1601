"""`fsdp-agent`: reads the command line, runs one command, exits with its code."""

import contextlib
import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

import typer

from contracts.errors import FsdpAgentError
from interfaces.cli import exits
from interfaces.cli.elsewhere import meant
from interfaces.cli.os_errors import from_os
from interfaces.cli.text import visible
from interfaces.cli.usage_words import plainly

_COMMAND_FILES = (
    "run",
    "jobs",
    "assess",
    "plan",
    "estimate",
    "whatif",
    "review",
    "diagnose",
    "ask",
    "kb",
    "doctor",
    "serve",
    "tokens",
    "hermes",
    "n8n",
)
"""Files of this package that add commands, in the order of `--help`. Each imports typer
alone; everything heavier is imported when its command runs."""

# The parents of a public class, so that no private module of typer is named here.
_UsageError: Any = typer.BadParameter.__mro__[1]


def main() -> None:
    """Run the command line and exit."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = run_command(sys.argv[1:])
    except BrokenPipeError:  # whoever read the error messages has gone
        code = _reader_left()
    sys.exit(code)


def run_command(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; every error becomes one message.

    Args:
        arguments: The words after `fsdp-agent`.
    """
    try:
        code = build_app()(args=list(arguments) or ["--help"], prog_name="fsdp-agent", standalone_mode=False)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # typer makes a SystemExit of it
        return _reader_left()
    except (KeyboardInterrupt, typer.Abort):
        code = exits.INTERRUPTED
    except _UsageError as error:
        given = _given(error, arguments)
        said = plainly(error.format_message(), given) + (f" (given: {given!r})" if given else "")
        return _fail(FsdpAgentError(said, code="usage", hint=_help_hint(error)), arguments)
    except Exception as error:
        if os.environ.get("FSDP_AGENT_DEBUG"):
            raise
        return _fail(_as_ours(error, arguments), arguments)
    if code == exits.INTERRUPTED:  # typer makes this of Ctrl-C
        return _fail(FsdpAgentError("interrupted", code="interrupted"), arguments, exits.INTERRUPTED)
    return code if isinstance(code, int) else exits.ANSWERED


def _reader_left() -> int:
    """Give the streams the null device, for Python would complain once more at exit, and return the exit code."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    return exits.READER_LEFT


def _open_closed_streams() -> None:
    """Give a stream that was closed (`>&-`) the null device.

    Else the next file to be opened would get its number, and what is meant for the stream
    would be written into that file.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
            assert opened == number
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


def build_app() -> typer.Typer:
    """Return the application with every command."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="A specialist for training PyTorch models on several GPUs with FSDP.",
    )
    app.callback(invoke_without_command=True)(_root)
    for name in _COMMAND_FILES:
        import_module(f"interfaces.cli.{name}").add_to(app)
    return app


def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version."),
    json_: bool = typer.Option(False, "--json", help="With --version: print it as one JSON object."),
) -> int:
    """A specialist for training PyTorch models on several GPUs with FSDP.

    Exit codes: 0 answered; 1 answered and it is bad news; 2 wrong use or unreadable input;
    3 cannot be known; 4 waiting for approval; 5 rejected or refused.
    """
    if version:
        from importlib.metadata import version as installed_version

        number = installed_version("fsdp-agent")
        print(json.dumps({"version": number}) if json_ else f"fsdp-agent {number}")
    elif json_:
        raise typer.BadParameter("goes behind the command, as in: fsdp-agent kb list --json", param_hint="--json")
    elif context.invoked_subcommand is None:
        print(context.get_help())
    return exits.ANSWERED


def _as_ours(error: Exception, arguments: Sequence[str]) -> FsdpAgentError:
    if isinstance(error, FsdpAgentError):
        return error
    if isinstance(error, OSError):
        return from_os(error, arguments)
    return FsdpAgentError(
        f"internal error: {type(error).__name__}: {error}",
        code="internal",
        hint="FSDP_AGENT_DEBUG=1 shows where; please report it",
    )


def _fail(error: FsdpAgentError, arguments: Sequence[str], exit_code: int | None = None) -> int:
    """Print an error in the form that the command line asked for and return its exit code."""
    if _wants_json(arguments):
        try:
            print(json.dumps(error.as_json()), flush=True)
        except OSError:  # a full disk: standard output is what failed, and would fail once more at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            _tell(error)
    else:
        _tell(error)
    return error.exit_code if exit_code is None else exit_code


def _tell(error: FsdpAgentError) -> None:
    hint = f"\n{error.hint}" if error.hint else ""
    print(visible(f"error: {error.message}{hint}"), file=sys.stderr, flush=True)


def _wants_json(arguments: Sequence[str]) -> bool:
    """Tell whether a command line asks for JSON, even where it cannot be parsed."""
    words = list(arguments)
    if "--" in words:
        words = words[: words.index("--")]
    return "--json" in words or "--format=json" in words or ("--format", "json") in pairwise(words)


def _given(error: Any, arguments: Sequence[str]) -> str:
    """Return the value that a wrong option was given, which typer leaves out."""
    for name in getattr(getattr(error, "param", None), "opts", ()):
        for word, after in pairwise([*arguments, ""]):
            value = after if word == name else word.partition("=")[2] if word.startswith(f"{name}=") else ""
            if value:
                return value
    return ""


def _help_hint(error: Any) -> str:
    if other := meant(error):
        return other
    context = getattr(error, "ctx", None)
    return f"usage: see {context.command_path} --help" if context else "usage: see fsdp-agent --help"
