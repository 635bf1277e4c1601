"""A launch is prepared from real files, or refused with one clear message."""

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from contracts.errors import FileUnreadable, RequestInvalid, RunFolderUnwritable
from contracts.recipe import Recipe
from contracts.request import Request
from runners import Home, changed_content, prepare_launch


@pytest.fixture
def parts(tmp_path: Path) -> dict:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "llama"}')
    (model / "model.safetensors").write_bytes(b"\0" * 64)
    (model / "tokenizer.json").write_text("{}")
    (tmp_path / "train.jsonl").write_text('{"prompt": "a", "response": "b"}\n\n{"text": "c"}\n')
    return {
        "intent": "run",
        "model": {"path": str(model)},
        "data": {"train": str(tmp_path / "train.jsonl")},
        "hardware": {"ranks": 2, "device": "cpu"},
    }


def prepare(parts: dict, tmp_path: Path, recipe: Recipe | None = None):
    return prepare_launch(Request.model_validate(parts), recipe or Recipe(), Home(tmp_path / "home"))


def test_every_byte_that_matters_is_named_by_its_digest(parts: dict, tmp_path: Path) -> None:
    launch = prepare(parts, tmp_path).launch
    roles = {entry.role for entry in launch.inputs}
    assert roles == {"interpreter", "script", "config", "data_manifest", "data", "model"}
    for entry in launch.inputs:
        assert entry.sha256 == hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
    assert sum(entry.role == "model" for entry in launch.inputs) == 3


def test_the_bundle_says_what_will_run(parts: dict, tmp_path: Path) -> None:
    prepared = prepare(parts, tmp_path, Recipe(steps=7))
    files = {Path(path).name: Path(path) for path in prepared.artifacts}
    assert json.loads(files["config.json"].read_text())["recipe"]["steps"] == 7
    assert json.loads(files["data_manifest.json"].read_text())["files"][0]["examples"] == 2
    assert str(files["fsdp_sft.py"]) in prepared.launch.argv
    assert "--nproc-per-node=2" in prepared.launch.argv
    assert "--max-restarts=0" in prepared.launch.argv


def test_the_same_request_gives_the_same_launch(parts: dict, tmp_path: Path) -> None:
    first, second = prepare(parts, tmp_path), prepare(parts, tmp_path)
    assert first.launch.launch_hash == second.launch.launch_hash
    assert prepare(parts, tmp_path, Recipe(seed=1)).launch.launch_hash != first.launch.launch_hash


def test_a_bundle_that_was_tampered_with_is_written_anew(parts: dict, tmp_path: Path) -> None:
    first = prepare(parts, tmp_path)
    config = next(Path(path) for path in first.artifacts if path.endswith("config.json"))
    config.chmod(0o644)
    config.write_text("{}")
    assert prepare(parts, tmp_path).launch.launch_hash == first.launch.launch_hash
    assert json.loads(config.read_text())["device"] == "cpu"


def test_what_decides_which_code_runs_is_approved_with_its_value(parts: dict, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere/else")
    launch = prepare(parts | {"env_passed": ["PYTHONPATH", "LD_PRELOAD", "HF_TOKEN"]}, tmp_path).launch
    assert launch.env["PYTHONPATH"] == "/somewhere/else"
    assert launch.env_passed == ("HF_TOKEN",)
    monkeypatch.setenv("PYTHONPATH", "/yet/another")
    again = prepare(parts | {"env_passed": ["PYTHONPATH", "LD_PRELOAD", "HF_TOKEN"]}, tmp_path).launch
    assert again.launch_hash != launch.launch_hash


def test_a_secret_is_no_input_and_no_content_is_told(parts: dict, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    secret = home.secret("approve").hex()
    link = tmp_path / "innocent.jsonl"
    link.symlink_to(home.secrets / "approve.key")
    for name in (home.secrets / "approve.key", link):
        with pytest.raises(RequestInvalid, match="secrets") as caught:
            prepare(parts | {"data": {"train": str(name)}}, tmp_path)
        assert secret not in str(caught.value)
    (tmp_path / "other.jsonl").write_text("root:x:0:0:hunter2")
    with pytest.raises(RequestInvalid) as caught:
        prepare(parts | {"data": {"train": str(tmp_path / "other.jsonl")}}, tmp_path)
    assert "hunter2" not in str(caught.value)


def test_a_wrapper_in_the_place_of_the_interpreter_is_part_of_what_is_approved(parts: dict, tmp_path: Path) -> None:
    wrapper = tmp_path / "python.sh"
    wrapper.write_text('#!/bin/sh\nexec python3 "$@"\n')
    wrapper.chmod(0o755)
    launch = prepare(parts | {"interpreter": str(wrapper)}, tmp_path).launch
    wrapper.write_text("#!/bin/sh\nexec something-else\n")
    assert "python.sh" in (changed_content(launch.model_dump(mode="json")) or "")


@pytest.mark.parametrize("name", ["model.safetensors.index.json", "evil.safetensors", "added_tokens.json"])
def test_a_file_laid_into_the_model_folder_is_refused(parts: dict, tmp_path: Path, name: str) -> None:
    launch = prepare(parts, tmp_path).launch.model_dump(mode="json")
    (tmp_path / "model" / "README.md").write_text("no part of the model")
    assert changed_content(launch) is None
    (tmp_path / "model" / name).write_text("{}")
    assert f"{name} lies beside the approved model" in (changed_content(launch) or "")


def test_a_sequence_beyond_the_models_positions_is_refused(parts: dict, tmp_path: Path) -> None:
    (tmp_path / "model" / "config.json").write_text('{"model_type": "llama", "max_position_embeddings": 256}')
    prepare(parts, tmp_path, Recipe(seq_len=256))
    with pytest.raises(RequestInvalid, match=r"seq_len 257 is above the model's max_position_embeddings 256"):
        prepare(parts, tmp_path, Recipe(seq_len=257))


def test_only_the_names_of_passed_variables_are_kept(parts: dict, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "hunter2-secret")
    launch = prepare(parts | {"env_passed": ["WANDB_API_KEY"]}, tmp_path).launch
    assert "WANDB_API_KEY" in launch.env_passed
    assert "hunter2-secret" not in launch.model_dump_json()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"model": {"path": "/nowhere/model"}}, FileUnreadable, "model folder not found: /nowhere/model"),
        ({"model": None}, RequestInvalid, "model.path"),
        ({"data": None}, RequestInvalid, "data.train"),
        ({"data": {"train": "/nowhere/train.jsonl"}}, FileUnreadable, "/nowhere/train.jsonl"),
        ({"interpreter": "/nowhere/python"}, FileUnreadable, "/nowhere/python"),
        ({"method": "qlora"}, RequestInvalid, "qlora"),
        ({"hardware": {"nodes": 2, "ranks": 2, "device": "cpu"}}, RequestInvalid, "hardware.nodes is 2"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_is_written(parts, tmp_path, change, error, message) -> None:
    with pytest.raises(error, match=message):
        prepare(parts | change, tmp_path)
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"text": "fine"}\n{"text": \n', r"train\.jsonl:2: not a JSON line"),
        ('{"text": "fine"}\n[1]\n', r"train\.jsonl:2: an example is"),
        ('{"prompt": "no response"}\n', r"train\.jsonl:1: an example is"),
        ('{"text": ""}\n', r"train\.jsonl:1: an example is"),
        ('{"prompt": "p", "response": ""}\n', r"train\.jsonl:1: an example is"),
        ('{"text": "t", "prompt": "p", "response": "r"}\n', r"train\.jsonl:1: an example is"),
        ("\n\n", "no examples"),
        ("[" * 100_000 + "\n", r"train\.jsonl:1: not a JSON line"),
        ('\ufeff{"text": "after a byte order mark"}\n', r"train\.jsonl:1: not a JSON line in UTF-8"),
        ('{"text": "\\ud800"}\n', r"train\.jsonl:1: not a JSON line in UTF-8"),
    ],
)
def test_a_broken_data_line_is_named(parts: dict, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "train.jsonl").write_text(text)
    with pytest.raises(RequestInvalid, match=message):
        prepare(parts, tmp_path)


def test_a_line_without_an_end_is_refused_in_bounded_memory(parts: dict, tmp_path: Path) -> None:
    with (tmp_path / "train.jsonl").open("wb") as stream:
        stream.truncate(200 << 20)
    with pytest.raises(RequestInvalid, match=r"train\.jsonl:1: line is longer than 16 MiB"):
        prepare(parts, tmp_path)


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("config.json", "not json", "is not JSON"),
        ("config.json", "[]", "has no model_type"),
        ("config.json", "{}", "has no model_type"),
    ],
)
def test_a_folder_that_is_no_model_is_refused(parts, tmp_path, name, body, message) -> None:
    (tmp_path / "model" / name).write_text(body)
    with pytest.raises(RequestInvalid, match=message):
        prepare(parts, tmp_path)


def test_pickled_weights_are_not_read(parts: dict, tmp_path: Path) -> None:
    (tmp_path / "model" / "model.safetensors").rename(tmp_path / "model" / "pytorch_model.bin")
    with pytest.raises(FileUnreadable, match=r"no \*\.safetensors") as caught:
        prepare(parts, tmp_path)
    assert "pickled" in caught.value.hint


def test_more_ranks_than_visible_gpus_is_refused(parts: dict, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(RequestInvalid, match="2 ranks need 2 GPUs, but 0 are visible"):
        prepare(parts | {"hardware": {"ranks": 2, "device": "cuda"}}, tmp_path)


def test_more_ranks_than_cores_is_a_warning(parts: dict, tmp_path: Path) -> None:
    ranks = (os.cpu_count() or 1) + 1
    prepared = prepare(parts | {"hardware": {"ranks": ranks, "device": "cpu"}}, tmp_path)
    assert any(f"{ranks} ranks share" in warning for warning in prepared.warnings)


def test_replicas_must_divide_the_ranks(parts: dict, tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid, match="2 ranks cannot form 3 replicas"):
        prepare(parts, tmp_path, Recipe(dp_replicate=3))


def test_a_home_that_cannot_be_written_leaves_nothing(parts: dict, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file stands where the folder should be")
    with pytest.raises(RunFolderUnwritable, match="cannot write the plan"):
        prepare(parts, tmp_path)
    assert (tmp_path / "home").is_file()


def test_a_users_own_script_becomes_a_script_job(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('hello')\n")
    request = Request(
        script={"path": str(script), "args": ["--lr", "1; rm -rf /"]}, hardware={"ranks": 1, "device": "cpu"}
    )
    prepared = prepare_launch(request, Recipe(), Home(tmp_path / "home"), sys.executable)
    assert prepared.launch.kind == "script"
    assert prepared.launch.argv[-3:] == (str(script), "--lr", "1; rm -rf /")
    assert prepared.launch.workdir == str(tmp_path)
    assert any("imports" in warning for warning in prepared.warnings)


class TestSlurm:
    def on(self, parts: dict, tmp_path: Path, recipe: Recipe | None = None, **options: object):
        cluster = {"hardware": {"nodes": 2, "ranks": 4, "device": "cpu"}, "slurm": {"interface": "ib0"} | options}
        return prepare(parts | cluster, tmp_path, recipe)

    def test_ranks_meet_on_the_first_node_in_slurms_order(self, parts: dict, tmp_path: Path) -> None:
        launch = self.on(parts, tmp_path).launch
        assert (launch.resources.nodes, launch.resources.ranks_per_node) == (2, 2)
        assert {"--nnodes=2", "--nproc-per-node=2", "--node-rank={node_rank}"} < set(launch.argv)
        assert "--rdzv-endpoint={first_node}:{port}" in launch.argv
        assert launch.slurm is not None
        assert changed_content(launch.model_dump(mode="json")) is None

    def test_the_preflight_s_programs_are_approved_with_it(self, parts: dict, tmp_path: Path) -> None:
        support = [Path(e.path) for e in self.on(parts, tmp_path).launch.inputs if e.role == "support"]
        assert "fsdp_preflight.py" in {path.name for path in support}
        assert not [e for e in self.on(parts, tmp_path, preflight=False).launch.inputs if e.role == "support"]
        launch = self.on(parts, tmp_path).launch
        (support[0].parent / "torch.py").write_text("")
        assert "torch.py lies beside" in str(changed_content(launch.model_dump(mode="json")))

    def test_the_interface_is_set_and_what_says_something_of_this_machine_is_not(
        self, parts: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
        env = self.on(parts, tmp_path).launch.env
        assert env["NCCL_SOCKET_IFNAME"] == env["GLOO_SOCKET_IFNAME"] == "ib0"
        assert "CUDA_VISIBLE_DEVICES" not in env
        assert env["OMP_NUM_THREADS"] == "1"

    def test_ranks_that_do_not_come_out_even(self, parts: dict, tmp_path: Path) -> None:
        uneven = parts | {"hardware": {"nodes": 2, "ranks": 3, "device": "cpu"}, "slurm": {}}
        with pytest.raises(RequestInvalid, match="3 ranks do not come out even on 2 nodes"):
            prepare(uneven, tmp_path)
        with pytest.raises(RequestInvalid, match="4 ranks cannot form 3 replicas"):
            self.on(parts, tmp_path, Recipe(dp_replicate=3))

    def test_gpus_are_not_looked_for_here(self, parts: dict, tmp_path: Path) -> None:
        far = parts | {"hardware": {"nodes": 2, "gpus": 16, "device": "cuda"}, "slurm": {}}
        launch = prepare(far, tmp_path).launch
        assert (launch.resources.ranks_per_node, launch.resources.device) == (8, "cuda")

    def test_an_interpreter_in_a_container_is_not_looked_for_here(self, parts: dict, tmp_path: Path) -> None:
        inside = parts | {"interpreter": "/opt/conda/bin/python", "slurm": {"container_image": "lab+torch.sqsh"}}
        launch = prepare(inside, tmp_path).launch
        assert launch.interpreter == "/opt/conda/bin/python"
        assert "interpreter" not in {entry.role for entry in launch.inputs}

    def test_several_nodes_without_slurm_are_refused_with_the_way_out(self, parts: dict, tmp_path: Path) -> None:
        with pytest.raises(RequestInvalid) as caught:
            prepare(parts | {"hardware": {"nodes": 2, "ranks": 2, "device": "cpu"}}, tmp_path)
        assert "slurm: {}" in caught.value.hint
