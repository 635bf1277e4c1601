"""The launch of an export: everything that it reads is named by digest, and nothing is overwritten."""

import hashlib
import json
from pathlib import Path

import pytest

from contracts.canonical import canonical_json
from contracts.errors import ContentChanged, FileUnreadable, InputError, RequestInvalid, WrongState
from contracts.recipe import Recipe
from contracts.request import Request
from runners import Home, changed_content, prepare_export, prepare_launch

RUN = "r-0123456789ab"


def write_step(folder: Path, step: int, body: bytes = b"shard") -> Path:
    place = folder / f"step-{step:08d}"
    place.mkdir(parents=True)
    files = {".metadata": b"metadata", "__0_0.distcp": body}
    for name, content in files.items():
        (place / name).write_bytes(content)
    entries = {n: {"size_bytes": len(b), "sha256": hashlib.sha256(b).hexdigest()} for n, b in files.items()}
    (place / "manifest.json").write_text(json.dumps({"files": entries, "step": step, "world_size": 2}))
    return place


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a training run that has checkpoints of steps 10 and 20."""
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "llama"}')
    (model / "model.safetensors").write_bytes(b"\0" * 64)
    (model / "tokenizer.json").write_text("{}")
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n')
    asked = {
        "intent": "run",
        "model": {"path": str(model)},
        "data": {"train": str(tmp_path / "train.jsonl")},
        "hardware": {"ranks": 2, "device": "cpu"},
    }
    home = Home(tmp_path / "home")
    launch = prepare_launch(Request.model_validate(asked), Recipe(steps=20), home).launch
    (home.runs / RUN).mkdir(parents=True)
    (home.runs / RUN / "spec.json").write_bytes(canonical_json(launch.model_dump(mode="json")))
    for step in (10, 20):
        write_step(home.runs / RUN / "ckpt", step)
    return home


def config_of(artifacts: tuple[str, ...]) -> dict:
    return json.loads(next(Path(path) for path in artifacts if path.endswith("config.json")).read_text())


def test_all_that_it_reads_is_approved_and_its_target_is_named(home: Home, tmp_path: Path) -> None:
    prepared = prepare_export(home, RUN, None, tmp_path / "out")
    launch = prepared.launch
    assert launch.kind == "export"
    assert launch.resources.ranks_per_node == 2
    assert launch.writes == ("{run_dir}", str(tmp_path / "out"))
    assert {entry.role for entry in launch.inputs} == {"interpreter", "script", "config", "model", "checkpoint"}
    for entry in launch.inputs:
        assert entry.sha256 == hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
    assert changed_content(launch.model_dump(mode="json")) is None
    asked = config_of(prepared.artifacts)
    assert asked["checkpoint"].endswith("step-00000020")  # the newest
    assert asked["recipe"]["steps"] == 20


def test_a_step_may_be_named_and_what_is_not_whole_is_passed_over(home: Home, tmp_path: Path) -> None:
    asked = config_of(prepare_export(home, RUN, 10, tmp_path / "out").artifacts)
    assert asked["checkpoint"].endswith("step-00000010")
    (home.runs / RUN / "ckpt" / "step-00000020" / "manifest.json").unlink()
    asked = config_of(prepare_export(home, RUN, None, tmp_path / "out").artifacts)
    assert asked["checkpoint"].endswith("step-00000010")
    with pytest.raises(WrongState, match="step 20"):
        prepare_export(home, RUN, 20, tmp_path / "out")


def test_a_shard_that_changed_is_not_what_was_approved(home: Home, tmp_path: Path) -> None:
    launch = prepare_export(home, RUN, None, tmp_path / "out").launch
    (home.runs / RUN / "ckpt" / "step-00000020" / "__0_0.distcp").write_bytes(b"Shard")
    assert "__0_0.distcp has other bytes" in str(changed_content(launch.model_dump(mode="json")))


def test_no_target_is_overwritten(home: Home, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("taken", "dangling"):
        with pytest.raises(InputError, match="exists"):
            prepare_export(home, RUN, None, tmp_path / name)
    with pytest.raises(InputError, match="there is no folder"):
        prepare_export(home, RUN, None, tmp_path / "no" / "out")
    home.secret("approve")
    with pytest.raises(RequestInvalid, match="secrets"):
        prepare_export(home, RUN, None, home.secrets / "out")


def test_what_the_training_left_must_be_there(home: Home, tmp_path: Path) -> None:
    spec = home.runs / RUN / "spec.json"
    config = next(Path(e["path"]) for e in json.loads(spec.read_text())["inputs"] if e["role"] == "config")
    body = config.read_text()
    config.chmod(0o644)
    config.write_text(body.replace("cpu", "gpu"))
    with pytest.raises(ContentChanged, match=r"config\.json"):
        prepare_export(home, RUN, None, tmp_path / "out")
    config.unlink()
    with pytest.raises(FileUnreadable, match=r"config\.json"):
        prepare_export(home, RUN, None, tmp_path / "out")


def test_a_script_run_has_no_such_checkpoints(home: Home, tmp_path: Path) -> None:
    spec = home.runs / RUN / "spec.json"
    spec.write_text(json.dumps(json.loads(spec.read_text()) | {"kind": "script"}))
    with pytest.raises(WrongState, match="script run"):
        prepare_export(home, RUN, None, tmp_path / "out")
    spec.write_text("{}")
    with pytest.raises(WrongState, match="no launch"):
        prepare_export(home, RUN, None, tmp_path / "out")
