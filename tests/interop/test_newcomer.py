"""From docs/doors/hermes.md to a first answer: exactly the commands that it shows, five at most, in a fresh checkout.

Hermes is there and has a model; nothing of the agent is installed.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.interop.hermes_desk import HERMES, NEEDS_HERMES, ROOT, answers, tool
from tests.interop.stub_model import model

pytestmark = [*NEEDS_HERMES, pytest.mark.slow]

MOST_COMMANDS = 5
TRIALS = 5
"""Turns that a loaded machine is given to find the tools within Hermes' default time."""
LIMIT_S = 500
PAGE = ROOT / "docs" / "doors" / "hermes.md"


def commands() -> list[str]:
    """What a reader types: the `$` lines of the page's first block."""
    [block] = re.findall(r"^## A first answer\n.*?^```console\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def checkout(folder: Path) -> None:
    """Lay out what a clone would have, as it is in this tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = [name for name in listed.stdout.split(b"\0") if name and (ROOT / os.fsdecode(name)).is_file()]
    packed = subprocess.run(
        ["tar", "cf", "-", "--null", "-T", "-"], cwd=ROOT, input=b"\0".join(names), capture_output=True, check=True
    )
    folder.mkdir()
    subprocess.run(["tar", "xf", "-"], cwd=folder, input=packed.stdout, check=True)


def test_the_page_is_linked_from_the_readme_and_asks_for_five_commands_at_most() -> None:
    assert f"({PAGE.relative_to(ROOT)})" in (ROOT / "README.md").read_text("utf-8")
    typed = commands()
    assert 1 < len(typed) <= MOST_COMMANDS
    for line in typed:
        words = shlex.split(line)
        assert not set(words) & {"&&", "||", "|", ";", "&"}, f"{line} is more than one command"
    assert typed[-1].startswith("hermes chat ")


def test_the_commands_as_they_stand_lead_to_an_answer(tmp_path: Path) -> None:
    checkout(tmp_path / "fsdp-agent")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hermes").symlink_to(HERMES / "hermes")
    question = shlex.split(commands()[-1])[-1]
    with model(tool("plan", text=question), {"text": "It fits."}) as script:
        (tmp_path / ".hermes").mkdir()
        stub = {"provider": "custom", "base_url": f"http://127.0.0.1:{script.port}/v1", "api_key": "not-needed"}
        config = {"model": stub | {"default": "stub-model", "context_length": 131072}}
        (tmp_path / ".hermes" / "config.yaml").write_text(yaml.safe_dump(config))
        kept = {name: os.environ[name] for name in os.environ if name == "LANG" or name.startswith("PIP_")}
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        environment = kept | {"HOME": str(tmp_path), "PATH": path, "TERM": "dumb"}
        *prepare, ask = commands()
        for line in prepare:
            type_in(line, tmp_path / "fsdp-agent", environment)
        for _ in range(TRIALS):
            script.seen.clear()
            said = type_in(ask, tmp_path / "fsdp-agent", environment)
            if any("fsdp_plan" in each["function"]["name"] for each in script.seen[0]["tools"]):
                break
    [plan] = answers(script)
    assert (plan["verdict"], plan["world_size"]) == ("use_fsdp", 16)
    assert "It fits." in said


def type_in(line: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        shlex.split(line),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout
