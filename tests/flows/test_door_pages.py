"""What the page of the HTTP door shows is run here against a real server, and the pages' links and numbers hold."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interfaces.mcp.tools import TOOLS
from tests.flows.servers import Served, served
from tests.flows.test_readme import matches

PAGES = Path(__file__).parents[2] / "docs" / "doors"


def shown(page: str) -> list[tuple[str, str]]:
    """The `$` lines of a page with the output under each."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n(.*?)^```", (PAGES / page).read_text(encoding="utf-8"), re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], ""))
            else:
                found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, bench_in: Callable[[Path], Any]) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("pages")
    with served("plain", bench_in(folder), folder) as running:
        yield running


@pytest.mark.server
@pytest.mark.skipif(shutil.which("curl") is None, reason="the page's commands are curl's")
def test_every_curl_line_prints_what_is_shown(server: Served) -> None:
    lines = shown("http.md")
    assert len(lines) >= 8
    for command, output in lines:
        here = command.replace("http://127.0.0.1:2024", server.url)
        done = subprocess.run(
            ["bash", "-c", here],
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "FSDP_TOKEN": server.token()},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert matches(output, done.stdout), f"{command} printed:\n{done.stdout}"


def test_every_tool_is_on_its_page() -> None:
    page = (PAGES / "mcp.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(fsdp_\w+)`", page)) == set(TOOLS)
    assert "ten tools" in page
    assert len(TOOLS) == 10
