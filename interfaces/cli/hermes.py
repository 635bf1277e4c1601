"""`fsdp-agent hermes`: put the MCP server and the skill into a Hermes, and take both out again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from contracts.errors import FsdpAgentError
from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, JsonFlag, output

SKILL = "fsdp-specialist"
"""Name of the skill, and of its folder."""
SERVER = "fsdp"
"""Name of the MCP server in Hermes: its tools are `mcp__fsdp__*`."""
DENY = ("*fsdp-agent*approve*", "*fsdp-agent*--yes*", "*fsdp-agent*tokens*", "*approve.key*")
"""Patterns for Hermes' `approvals.deny`: what a person types, and never the agent."""

_SKILL_FOLDER = Path(__file__).parents[1] / "hermes" / SKILL
_LIMIT_S = 180
_QUESTIONS = 5
_CONNECT_TIMEOUT_S = "20"

HermesOption = Annotated[str, typer.Option("--hermes", help="The hermes command.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(help="The Hermes agent: install or remove skill and MCP server.", no_args_is_help=True)
    for command in (install, remove):
        group.command()(command)
    app.add_typer(group, name="hermes")


def install(hermes: HermesOption = "hermes", json: JsonFlag = False, form: FormatOption = Form.text) -> int:
    """Add the MCP server `fsdp` and the skill `fsdp-specialist`; the second time changes nothing."""
    program = str(Path(sys.argv[0]).resolve()) if Path(sys.argv[0]).name == "fsdp-agent" else "fsdp-agent"
    added = ["mcp", "add", SERVER, "--connect-timeout", _CONNECT_TIMEOUT_S, "--command", program, "--args", "mcp"]
    # Hermes passes few variables on: a home folder that this shell names has to be an argument there
    if home := os.environ.get("FSDP_AGENT_HOME"):
        added += ["--home", str(Path(home).absolute())]
    said = _hermes(hermes, added)
    # it exits with 0 whether or not it saved anything
    if f"Saved '{SERVER}'" not in said:
        raise FsdpAgentError(f"hermes did not add the server: {said[-500:]}", code="hermes_failed")
    place = _skills() / SKILL
    if place.exists():
        shutil.rmtree(place)
    shutil.copytree(_SKILL_FOLDER, place, ignore=shutil.ignore_patterns("__pycache__"))
    return _tell(json, form, "installed", place)


def remove(hermes: HermesOption = "hermes", json: JsonFlag = False, form: FormatOption = Form.text) -> int:
    """Take the MCP server and the skill out of Hermes; nothing of them is left."""
    _hermes(hermes, ["mcp", "remove", SERVER])
    place = _skills() / SKILL
    if place.exists():
        shutil.rmtree(place)
    return _tell(json, form, "removed", place)


def _hermes(program: str, arguments: list[str]) -> str:
    found = shutil.which(program)
    if found is None:
        raise FsdpAgentError(f"{program!r} is not on the search path", code="hermes_missing", hint="give --hermes PATH")
    try:
        # it asks for a yes even where nobody sits: whether to replace what is there, and whether to take all tools
        done = subprocess.run(
            [found, *arguments], input="y\n" * _QUESTIONS, capture_output=True, text=True, timeout=_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        raise FsdpAgentError(f"hermes did not answer in {_LIMIT_S} s", code="hermes_failed") from None
    if done.returncode:
        raise FsdpAgentError(f"hermes {' '.join(arguments[:2])}: {done.stderr[-500:]}", code="hermes_failed")
    return done.stdout


def _skills() -> Path:
    home = os.environ.get("HERMES_HOME")
    return (Path(home) if home else Path.home() / ".hermes") / "skills" / "mlops"


def _tell(json: bool, form: Form, change: str, place: Path) -> int:
    from interfaces.results_hermes import HermesChange

    out = output(json, form)
    made: HermesChange = HermesChange.model_validate({"change": change, "server": SERVER, "skill": str(place)})
    if out.as_json:
        out.answer(made)
        return exits.ANSWERED
    out.progress(f"{change}: MCP server {SERVER!r}, skill {place}")
    if change == "installed":
        out.progress("start a new Hermes session; to keep approvals a person's, add to its configuration:")
        out.progress(f"approvals:\n  deny: {list(DENY)}")
    return exits.ANSWERED
