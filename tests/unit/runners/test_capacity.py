"""What a machine gives and what a launch takes."""

import os
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import RequestInvalid
from runners.capacity import Capacity, Demand, capacity_of, demand_of
from runners.home import Home


@pytest.mark.parametrize(
    ("resources", "env", "wanted"),
    [
        ({"ranks_per_node": 2, "device": "cpu"}, {}, Demand(2, 0)),
        ({"ranks_per_node": 4, "device": "cuda"}, {}, Demand(4, 4)),
        ({"ranks_per_node": 1, "device": "cuda", "cores_per_node": 0, "gpus_per_node": 2}, {}, Demand(0, 2)),
        ({"ranks_per_node": 1, "device": "cuda"}, {"CUDA_VISIBLE_DEVICES": "2, 3"}, Demand(1, 1, ("2", "3"))),
        ({"ranks_per_node": 1, "device": "cuda"}, {"CUDA_VISIBLE_DEVICES": ""}, Demand(1, 1, ())),
    ],
)
def test_demand(resources: dict[str, Any], env: dict[str, str], wanted: Demand) -> None:
    assert demand_of({"resources": resources, "env": env}) == wanted


def test_by_default_all_cores_that_this_process_may_use(tmp_path: Path) -> None:
    assert capacity_of(Home(tmp_path), Demand(1, 0)) == Capacity(len(os.sched_getaffinity(0)))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("cores = 3\ngpus = 2\n", Capacity(3, ("0", "1"))),
        ("cores = 3\ngpus = [1, 3]\n", Capacity(3, ("1", "3"))),
        ("cores = 3\ngpus = []\n", Capacity(3)),
    ],
)
def test_what_the_owner_says(tmp_path: Path, text: str, wanted: Capacity) -> None:
    (tmp_path / "machine.toml").write_text(text)
    assert capacity_of(Home(tmp_path), Demand(1, 1)) == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cores = 0", "cores must be a whole number from 1, not 0"),
        ("cores = true", "cores must be"),
        ("gpus = -1", "gpus must be"),
        ("gpus = [1.5]", "gpus must be"),
        ("core = 4", "unknown key 'core'; known: cores, gpus"),
        ("cores = ", "is no TOML"),
    ],
)
def test_a_slip_of_the_owner_is_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "machine.toml").write_text(text)
    with pytest.raises(RequestInvalid, match=r"machine\.toml") as told:
        capacity_of(Home(tmp_path), Demand(1, 0))
    assert words in told.value.message


def test_gpus_are_those_of_the_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "nvidia-smi"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho GPU-aaaa\necho GPU-bbbb\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    found = capacity_of(Home(tmp_path), Demand(1, 1))
    assert (found.gpus, found.uuids) == (("0", "1"), ("GPU-aaaa", "GPU-bbbb"))
    assert found.index_of("GPU-bb") == "1"
    assert found.index_of("MIG-1") == "MIG-1"
