"""The command line of a user's script, and what of it is approved by content."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.errors import FileUnreadable, RequestInvalid
from contracts.launch import LaunchRequest
from contracts.recipe import Recipe
from contracts.request import Request, UserScript
from engines.intake.request_file import parse_request
from runners import Home, changed_content, prepare_launch
from runners.script_job import script_environment, script_job


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text("import part\n")
    (tmp_path / "part.py").write_text("")
    return path


def argv(script: Path, ranks: int = 2, **fields: Any) -> list[str]:
    return script_job(UserScript.model_validate({"path": str(script)} | fields), ranks).argv


def test_torchrun_is_told_the_ranks_after_what_the_user_says(script: Path) -> None:
    words = argv(script, args=("--lr", "1"), launcher_args=("--nproc-per-node=7", "--rdzv-conf=timeout=9"))
    assert words[:2] == ["-m", "torch.distributed.run"]
    assert words.index("--nproc-per-node=7") < words.index("--nproc-per-node=2")  # what stands last counts
    assert words[-3:] == [str(script), "--lr", "1"]


def test_accelerate_gets_the_ranks_that_were_approved_and_a_free_port(script: Path) -> None:
    words = argv(script, launcher="accelerate", launcher_args=("--num_processes=7", "--main_process_port=29500"))
    assert words[:2] == ["-m", "accelerate.commands.launch"]
    assert words.index("--num_processes=7") < words.index("--num_processes=2")
    assert words.index("--main_process_port=29500") < words.index("--main_process_port=0")
    assert words[-1] == str(script)


def test_direct_is_the_script_alone(script: Path) -> None:
    assert argv(script, launcher="direct", args=("a",), launcher_args=("-X", "dev")) == ["-X", "dev", str(script), "a"]


def test_a_module_needs_its_folder_and_one_of_the_two_is_given(script: Path) -> None:
    module = UserScript(module="torchtitan.train", workdir=str(script.parent))
    job = script_job(module, 2)
    assert job.argv[-2:] == ["-m", "torchtitan.train"]
    assert "not approved by content" in job.warnings[0]
    with pytest.raises(RequestInvalid, match=r"script\.workdir"):
        script_job(UserScript(module="torchtitan.train"), 2)
    for given in ({}, {"path": "a.py", "module": "a"}, {"module": "a; rm"}, {"module": "../a"}):
        with pytest.raises(ValidationError):
            UserScript.model_validate(given)


def test_a_module_that_replaces_one_of_the_standard_library_is_approved_by_content(script: Path) -> None:
    (script.parent / "random.py").write_text("")
    (script.parent / "unused.py").write_text("")
    names = [Path(entry.path).name for entry in script_job(UserScript(path=str(script)), 2).inputs]
    assert names == ["train.py", "part.py", "random.py"]


def test_what_is_approved_by_content(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runners.script_job._ARGUMENT_FILE_BYTES", 100)
    for name, size in (("fsdp.yaml", 10), ("config.toml", 10), ("big.bin", 1000), ("data.jsonl", 1000)):
        (tmp_path / name).write_bytes(b"x" * size)
    job = script_job(
        UserScript(
            path=str(script),
            args=("--config=config.toml", "--data", "big.bin", "--out=nowhere", "x" * 5000),
            launcher_args=("--config_file", "fsdp.yaml"),
            inputs=(str(tmp_path / "data.jsonl"),),
        ),
        1,
    )
    found = {(entry.role, Path(entry.path).name) for entry in job.inputs}
    assert found == {
        ("script", "train.py"),
        ("script", "part.py"),
        ("data", "data.jsonl"),
        ("config", "config.toml"),
        ("config", "fsdp.yaml"),
    }
    assert [warning for warning in job.warnings if "big.bin is large" in warning]


@pytest.mark.parametrize("fields", [{"path": "absent.py"}, {"workdir": "absent"}, {"inputs": ("absent",)}])
def test_what_is_missing_is_named(script: Path, fields: dict[str, Any]) -> None:
    with pytest.raises(FileUnreadable, match="absent"):
        argv(script, **fields)


def test_the_heartbeat_comes_after_what_the_user_has_on_his_path(tmp_path: Path) -> None:
    constants = {"HF_HUB_OFFLINE": "1", "PYTHONPATH": "/mine", "OMP_NUM_THREADS": "2"}
    assert script_environment(constants, tmp_path) == {"PYTHONPATH": f"/mine:{tmp_path}", "OMP_NUM_THREADS": "2"}


def launch(path: Path, tmp_path: Path, **request: Any) -> LaunchRequest:
    given = {"intent": "run", "script": {"path": str(path)}, "hardware": {"device": "cpu", "ranks": 1}}
    return prepare_launch(Request.model_validate(given | request), Recipe(), Home(tmp_path / "home")).launch


def test_what_it_takes_and_may_take_is_in_the_launch(script: Path, tmp_path: Path) -> None:
    made = launch(
        script, tmp_path, hardware={"device": "cpu", "ranks": 2, "cores": 6}, limits={"memory_gib": 3, "processes": 9}
    )
    assert (made.resources.cores_per_node, made.resources.gpus_per_node) == (6, None)
    assert made.env["OMP_NUM_THREADS"] == "3"
    assert (made.limits.memory_gib, made.limits.processes, made.limits.file_gib) == (3, 9, None)
    assert made.watch.log_s == 1800


@pytest.mark.parametrize("form", ["{}", "--config={}"])
def test_a_secret_of_the_agents_is_no_argument(script: Path, tmp_path: Path, form: str) -> None:
    key = tmp_path / "home" / "secrets" / "approve.key"
    Home(tmp_path / "home").secret("approve")
    with pytest.raises(RequestInvalid, match="belongs to the agent's secrets"):
        launch(script, tmp_path, script={"path": str(script), "args": (form.format(key),)})


def test_a_request_file_resolves_the_paths_and_keeps_the_arguments(tmp_path: Path) -> None:
    given = {"path": "a.py", "workdir": "w", "inputs": ["d.txt"], "args": ["--x", "c.toml"], "launcher": "accelerate"}
    found = parse_request({"intent": "run", "script": given}, base=tmp_path).script
    assert found is not None
    assert (found.path, found.workdir) == (str(tmp_path / "a.py"), str(tmp_path / "w"))
    assert found.inputs == (str(tmp_path / "d.txt"),)
    assert found.args == ("--x", "c.toml")


def test_a_launch_lists_what_can_be_imported_beside_the_script(script: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for name in ("train.py", "part.py"):
        (tmp_path / name).rename(own / name)
    made = launch(own / "train.py", tmp_path, hardware={"device": "cpu", "ranks": 2})
    assert made.importable == {str(own): ("part.py", "train.py")}
    (own / "torch").mkdir()
    assert changed_content(made.model_dump(mode="json")) is None
    (own / "torch" / "__init__.py").write_text("raise SystemExit")
    assert changed_content(made.model_dump(mode="json")) == (
        f"{own / 'torch'}/ was not there when this was planned, and imports may lead to it"
    )
