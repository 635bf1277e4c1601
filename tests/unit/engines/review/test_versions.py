"""Versions: ranges of rules, and the version that a project pins."""

from pathlib import Path

import pytest

from contracts.errors import RequestInvalid
from engines.review.engine import review_paths
from engines.review.requirements import pinned_torch, read_requirements
from engines.review.versions import parse_version, within_range


@pytest.mark.parametrize(
    ("text", "version"), [("2.6", (2, 6)), ("2.13.0+cu128", (2, 13, 0)), ("v2.4.1", (2, 4, 1)), (None, (2, 13))]
)
def test_parse(text: str | None, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version


@pytest.mark.parametrize("text", ["nightly", "torch-2", "x2.1"])
def test_parse_refuses(text: str) -> None:
    with pytest.raises(RequestInvalid, match="version"):
        parse_version(text)


@pytest.mark.parametrize(
    ("version", "bounds", "holds"),
    [
        ((2, 6), "", True),
        ((2, 6), ">=2.4", True),
        ((2, 3), ">=2.4", False),
        ((2, 13, 0), "<=2.13", True),
        ((2, 4, 1), ">2.4", False),
        ((2, 5), ">=2.4,<2.6", True),
        ((2, 6), ">=2.4,<2.6", False),
        ((2,), "==2.0", True),
    ],
)
def test_range(version: tuple[int, ...], bounds: str, holds: bool) -> None:
    assert within_range(version, bounds) is holds


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("requirements.txt", "numpy\ntorch==2.6.0\n", (2, 6, 0)),
        ("requirements.txt", "torch>=2.6\n# torch==2.1.0\n", None),
        ("pyproject.toml", 'dependencies = ["torch==2.5.1", "torchvision==0.20"]\n', (2, 5, 1)),
        ("uv.lock", '[[package]]\nname = "torch"\nversion = "2.7.1"\n', (2, 7, 1)),
        ("environment.yml", "dependencies:\n  - torch=2.4.0\n", (2, 4, 0)),
    ],
)
def test_pins(name: str, text: str, version: tuple[int, ...] | None) -> None:
    assert pinned_torch([read_requirements(name, text)]) == version


def test_files_that_disagree_pin_nothing() -> None:
    files = [
        read_requirements(name, f"torch=={v}\n")
        for name, v in (("requirements.txt", "2.5.0"), ("constraints.txt", "2.6.0"))
    ]
    assert pinned_torch(files) is None


def test_the_pinned_version_is_used_unless_one_is_given(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.5.1\n")
    (tmp_path / "train.py").write_text("from torch.distributed.fsdp import fully_shard\n")
    assert [finding.rule for finding in review_paths([tmp_path]).findings] == ["FSDP120"]
    assert review_paths([tmp_path], torch="2.13").findings == ()
