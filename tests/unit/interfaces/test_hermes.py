"""What Hermes is given, as files: the skill keeps Hermes' limits, manifest and deny rules say the same everywhere."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from interfaces.cli.hermes import DENY, SERVER, SKILL
from interfaces.mcp.tools import TOOLS

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "interfaces" / "hermes"
SKILL_FOLDER = FOLDER / SKILL


def skill() -> tuple[dict[str, Any], str]:
    _, front, body = (SKILL_FOLDER / "SKILL.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), body


def test_the_skill_keeps_the_limits() -> None:
    front, body = skill()
    assert front["name"] == SKILL
    # the index of skills cuts what is longer
    assert len(front["description"]) <= 60
    assert 8_000 <= len(body.encode()) <= 14_000


def test_the_skill_asks_for_tools_that_exist_and_names_no_others() -> None:
    front, body = skill()
    ours = {f"mcp__{SERVER}__{name}" for name in TOOLS}
    assert front["metadata"]["hermes"]["requires_tools"]
    assert set(front["metadata"]["hermes"]["requires_tools"]) <= ours
    assert set(re.findall(r"\bfsdp_[a-z_]+\b", body)) - {"fsdp_config"} == set(TOOLS)


def test_every_reference_is_linked_and_there() -> None:
    """An installation by address copies only the files that the skill names, and stops at a missing one."""
    named = set(re.findall(r"references/[\w.-]+", skill()[1]))
    assert named == {str(path.relative_to(SKILL_FOLDER)) for path in (SKILL_FOLDER / "references").iterdir()}


def test_the_manifest_offers_every_tool() -> None:
    manifest = yaml.safe_load((FOLDER / "optional-mcps" / SERVER / "manifest.yaml").read_text(encoding="utf-8"))
    assert manifest["name"] == SERVER
    assert manifest["tools"]["default_enabled"] == list(TOOLS)


@pytest.mark.parametrize(
    "page", [ROOT / "docs" / "doors" / "hermes.md", SKILL_FOLDER / "references" / "approval.md"], ids=lambda p: p.name
)
def test_the_deny_rules_are_the_same_everywhere(page: Path) -> None:
    [block] = [
        block
        for block in re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
        if "approvals:" in block
    ]
    assert yaml.safe_load(block)["approvals"]["deny"] == list(DENY)
