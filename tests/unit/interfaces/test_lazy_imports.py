"""What a command imports decides how fast it answers: modules are looked at, not the clock."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAVY = {"langgraph", "langchain_core", "langchain", "matplotlib", "numpy", "httpx", "mcp", "torch", "transformers"}
SCRIPT = """
import contextlib, io, json, sys
from interfaces.cli.main import run_command
with contextlib.redirect_stdout(io.StringIO()):
    code = run_command(json.loads(sys.argv[1]))
print(json.dumps({"code": code, "roots": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


def roots_after(words: list[str], tmp_path: Path) -> tuple[int, set[str]]:
    """Run a command in a fresh interpreter and return (exit code, top-level modules imported)."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "FSDP_AGENT_HOME": str(tmp_path / "home")}
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(words)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    seen = json.loads(result.stdout.splitlines()[-1])
    return seen["code"], set(seen["roots"])


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["jobs", "list", "--help"], ["--version"], ["fly"]])
def test_help_imports_no_room_but_its_own(words: list[str], tmp_path: Path) -> None:
    _, roots = roots_after(words, tmp_path)
    assert not roots & (HEAVY | {"rich", "yaml", "engines", "runners", "graph", "nodes", "knowledge"})


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (["estimate", "--model", "llama-3-8b", "--gpus", "8", "--seq-len", "2048", "--json"], {0}),
        (["plan", "--model", "llama-3-8b", "--gpus", "8", "--gpu", "H100", "--seq-len", "2048", "--json"], {0}),
        (["assess", "full fine-tune of Llama-3-8B, seq 8192, on 8 H100", "--json"], {0, 1, 3}),
        (["review", "graph/owner_config.py", "--json"], {0}),
        (["ask", "does FSDP2 need ShardedGradScaler?", "--torch", "2.13", "--json"], {0, 3}),
        (["jobs", "list", "--json"], {0}),
        (["jobs", "show", "r-000000000000", "--json"], {2}),
        (["reconcile", "--json"], {0}),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_questions_and_jobs_import_no_langgraph(words: list[str], codes: set[int], tmp_path: Path) -> None:
    code, roots = roots_after(words, tmp_path)
    assert not roots & (HEAVY | {"rich"})
    assert code in codes
