"""A launch after a failed run: mended copies of scripts and a start checkpoint, each bound by content."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import RequestInvalid
from contracts.launch import LaunchRequest
from contracts.recipe import Recipe
from contracts.request import Request
from runners import Home, Mended, changed_content, prepare_launch


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A script with a module and a package of its own."""
    folder = tmp_path / "mine"
    (folder / "part").mkdir(parents=True)
    (folder / "train.py").write_text("import helper\nimport part.loop\nprint(helper.VALUE, part.loop.VALUE)\n")
    (folder / "helper.py").write_text("VALUE = 1\n")
    (folder / "part" / "__init__.py").write_text("")
    (folder / "part" / "loop.py").write_text("VALUE = 1\n")
    return folder / "train.py"


def launch_of(own: Path, home: Path, **texts: str) -> LaunchRequest:
    request = {"intent": "run", "script": {"path": str(own)}, "hardware": {"device": "cpu", "ranks": 2}}
    changed = {str(own.parent / name.replace("__", "/")) + ".py": text for name, text in texts.items()}
    given = Request.model_validate(request)
    return prepare_launch(given, Recipe(), Home(home), sys.executable, mended=Mended(texts=changed)).launch


def test_the_mended_copy_runs_and_what_it_imports_comes_along(own: Path, tmp_path: Path) -> None:
    launch = launch_of(own, tmp_path / "home", part__loop="VALUE = 2\n")
    copies = {Path(entry.path).name: Path(entry.path) for entry in launch.inputs if entry.role == "patched"}
    assert sorted(copies) == ["__init__.py", "helper.py", "loop.py", "train.py"]
    assert copies["loop.py"].read_text() == "VALUE = 2\n"
    assert copies["train.py"].read_text() == own.read_text()
    assert str(copies["train.py"]) in launch.argv
    assert str(own) not in launch.argv
    assert launch.workdir == str(own.parent)
    assert launch.env["PYTHONPATH"].endswith(str(own.parent)), "what no import names lies there still"
    assert [entry for entry in launch.inputs if entry.path.startswith(str(own.parent))] == []
    assert (own.parent / "part" / "loop.py").read_text() == "VALUE = 1\n", "the user's own file stays as it is"
    assert changed_content(launch.model_dump(mode="json")) is None


def test_a_copy_that_was_changed_and_a_file_laid_beside_it_are_named(own: Path, tmp_path: Path) -> None:
    launch = launch_of(own, tmp_path / "home", train="print('mended')\n").model_dump(mode="json")
    copy = Path(next(entry["path"] for entry in launch["inputs"] if entry["path"].endswith("patched/train.py")))
    copy.chmod(0o644)
    copy.write_text("print('mendeD')\n")
    assert "has other bytes" in (changed_content(launch) or "")
    copy.write_text("print('mended')\n")
    (copy.parent / "torch.py").write_text("print('foreign')\n")
    assert "torch.py lies beside the approved patched" in (changed_content(launch) or "")


def test_a_user_who_edits_the_own_file_meanwhile_changes_nothing_of_the_launch(own: Path, tmp_path: Path) -> None:
    launch = launch_of(own, tmp_path / "home", train="print('mended')\n").model_dump(mode="json")
    own.write_text("print('edited')\n")
    assert changed_content(launch) is None


def test_a_file_that_the_script_does_not_run_is_not_mended(own: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid, match=r"other\.py"):
        launch_of(own, tmp_path / "home", other="VALUE = 2\n")


def checkpoint(folder: Path) -> Path:
    folder.mkdir(parents=True)
    files: dict[str, Any] = {}
    for name, body in ((".metadata", b"meta"), ("__0_0.distcp", b"shard")):
        (folder / name).write_bytes(body)
        files[name] = {"size_bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps({"files": files, "step": 8, "world_size": 2}))
    return folder


@pytest.fixture
def train(tmp_path: Path) -> Request:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "llama"}')
    (model / "model.safetensors").write_bytes(b"\0" * 64)
    (model / "tokenizer.json").write_text("{}")
    (tmp_path / "train.jsonl").write_text('{"text": "c"}\n')
    return Request.model_validate(
        {
            "intent": "run",
            "model": {"path": str(model)},
            "data": {"train": str(tmp_path / "train.jsonl")},
            "hardware": {"ranks": 2, "device": "cpu"},
        }
    )


def test_a_start_checkpoint_is_bound_by_content(train: Request, tmp_path: Path) -> None:
    start = checkpoint(tmp_path / "run" / "ckpt" / "step-00000008")
    mended = Mended(resume_from=str(start), env={"PYTORCH_ALLOC_CONF": "expandable_segments:True"})
    launch = prepare_launch(train, Recipe(), Home(tmp_path / "home"), mended=mended).launch
    config = next(Path(entry.path) for entry in launch.inputs if entry.role == "config")
    assert json.loads(config.read_text())["resume_from"] == str(start)
    assert launch.env["PYTORCH_ALLOC_CONF"] == "expandable_segments:True"
    assert sorted(Path(e.path).name for e in launch.inputs if e.role == "checkpoint") == [
        ".metadata",
        "__0_0.distcp",
        "manifest.json",
    ]
    (start / "__0_0.distcp").write_bytes(b"shatd")
    assert "__0_0.distcp has other bytes" in (changed_content(launch.model_dump(mode="json")) or "")


def test_a_checkpoint_that_is_none_is_refused(train: Request, tmp_path: Path) -> None:
    start = checkpoint(tmp_path / "step-00000008")
    (start / "__0_0.distcp").write_bytes(b"shatd")
    with pytest.raises(RequestInvalid, match="differs from its manifest"):
        prepare_launch(train, Recipe(), Home(tmp_path / "home"), mended=Mended(resume_from=str(start)))
    (start / "manifest.json").unlink()
    with pytest.raises(RequestInvalid, match="no manifest"):
        prepare_launch(train, Recipe(), Home(tmp_path / "home"), mended=Mended(resume_from=str(start)))
