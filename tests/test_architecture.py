"""Rules of the house that a machine can check; style, types and layers are checked by `make check`."""

import ast
import importlib.metadata
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("contracts", "knowledge", "engines", "runners", "nodes", "graph", "interfaces")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
TORCH_ROOMS = (ROOT / "runners" / "payload", ROOT / "knowledge" / "probes")
TRAINING_LIBRARIES = {"torch", "transformers", "accelerate", "safetensors", "tokenizers"}
MAX_MODULE_LINES = 300
MAX_FUNCTION_LINES = 60


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _in_training_runtime(path: Path) -> bool:
    return any(path.is_relative_to(room) for room in TORCH_ROOMS)


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_module_fits_in_a_head(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_MODULE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < MAX_FUNCTION_LINES, f"{node.name} at line {node.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_nothing_unsafe_is_called(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        assert called not in {
            "eval",
            "exec",
            "pickle.load",
            "pickle.loads",
            "os.system",
            "yaml.load",
            "yaml.unsafe_load",
        }
        for keyword in node.keywords:
            on = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
            assert not (keyword.arg in {"shell", "trust_remote_code"} and on), f"line {node.lineno}"


@pytest.mark.parametrize("path", [p for p in SOURCES if not _in_training_runtime(p)], ids=_name)
def test_the_agent_never_imports_the_training_libraries(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            roots = {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots = {(node.module or "").partition(".")[0]}
        else:
            continue
        assert not roots & TRAINING_LIBRARIES, f"line {node.lineno}"


def test_no_room_without_a_purpose_in_its_name() -> None:
    assert not [p for p in SOURCES if p.stem in {"utils", "helpers", "common", "misc", "util"}]


def test_our_top_level_names_belong_to_nobody_else() -> None:
    owners = importlib.metadata.packages_distributions()
    for room in ROOMS:
        assert set(owners.get(room, [])) <= {"fsdp-agent"}, f"{room} is also installed by {owners[room]}"


def test_every_package_is_listed_for_the_wheel() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    present = {
        ".".join(init.parent.relative_to(ROOT).parts) for room in ROOMS for init in (ROOT / room).rglob("__init__.py")
    }
    assert set(listed) == present


def test_every_data_pattern_of_the_wheel_matches_a_file() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    for package, patterns in table.items():
        for pattern in patterns:
            assert list((ROOT / package.replace(".", "/")).glob(pattern)), f"{package}: {pattern}"


def test_no_path_of_a_developers_machine_is_left() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: nothing tells tracked files from others")
    leak = re.compile(rb"/(?:work|home/[a-z]+|Users/[a-z]+|tmp/lab)/(?:main|shared|[a-z-]*fsdp-agent)|\.\./shared")
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and path != Path(__file__) and "tests/cases" not in name:
            assert not leak.search(path.read_bytes()), name
