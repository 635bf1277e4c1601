"""The JSON Schemas that ship are those of the code, and every command has one."""

import json
from typing import Any

import jsonschema
import pytest
import typer.main

from interfaces.cli.main import build_app
from interfaces.cli.schemas import ANSWERS, FOLDER, main, written

SERVERS = {"serve", "mcp"}
"""Commands that answer to other programs until they are ended; their answers have schemas of their own."""


def commands() -> dict[str, Any]:
    """Every command that answers once, by its name in the schemas' file names, such as jobs-list."""
    found: dict[str, Any] = {}
    for name, command in typer.main.get_command(build_app()).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        found |= {f"{name}-{sub}": part for sub, part in inner.items()} if inner else {name: command}
    assert found.keys() >= SERVERS
    return {name: command for name, command in found.items() if name not in SERVERS}


def test_the_files_are_those_that_the_code_makes() -> None:
    kept = {path.name.removesuffix(".schema.json"): path.read_text() for path in FOLDER.glob("*.schema.json")}
    assert kept == {command: written(command) for command in ANSWERS}, "run: python -m interfaces.cli.schemas"


@pytest.mark.parametrize("command", ANSWERS)
def test_a_schema_is_a_schema(command: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(written(command)))


def test_every_command_has_a_schema() -> None:
    other_forms = {"ask-study", "estimate-dry-run", "estimate-runs", "plan-trials"}
    assert set(commands()) == set(ANSWERS) - {"error"} - other_forms


@pytest.mark.parametrize("name", commands())
def test_every_command_speaks_json_and_tells_what_it_does(name: str) -> None:
    command = commands()[name]
    flags = {flag for parameter in command.params for flag in parameter.opts}
    assert {"--json", "--format"} <= flags
    assert command.help
    for parameter in command.params:
        assert getattr(parameter, "help", None), f"{name} {parameter.opts}"


def test_a_command_that_is_gone_takes_its_schema_along(tmp_path: Any) -> None:
    (tmp_path / "gone.schema.json").write_text("{}")
    main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {f"{command}.schema.json" for command in ANSWERS}
