"""The tools as a model sees them: few, short, and none that approves."""

import json

import pytest

from interfaces.doors.operations import OPERATIONS
from interfaces.mcp.tools import DESCRIPTIONS_LIMIT_CHARACTERS, TOOLS, schema_of


def test_all_words_together_are_short() -> None:
    listed = [
        {"name": name, "description": tool.description, "schema": schema_of(name)} for name, tool in TOOLS.items()
    ]
    assert len(json.dumps(listed)) < DESCRIPTIONS_LIMIT_CHARACTERS


def test_no_tool_decides() -> None:
    assert all(OPERATIONS[tool.operation].right == "submit" for tool in TOOLS.values())
    assert "decide" not in {tool.operation for tool in TOOLS.values()}


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_every_field_is_described_and_required_ones_are_marked(name: str) -> None:
    schema = schema_of(name)
    takes = OPERATIONS[TOOLS[name].operation].takes
    assert set(schema["properties"]) == set(takes.model_fields)
    assert all(field.get("description") for field in schema["properties"].values())
    assert set(schema.get("required", [])) == {n for n, field in takes.model_fields.items() if field.is_required()}
    assert "null" not in json.dumps(schema)
