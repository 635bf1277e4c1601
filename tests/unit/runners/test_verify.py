"""The check of an approval: every way in which it must say no, and that it costs no more than reading."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.canonical import content_hash, seal
from contracts.errors import ApprovalForged, ApprovalMissing, ContentChanged, NotAllowed
from contracts.request import UserScript
from runners import changed_content, verify_launch
from runners.script_job import importable_beside, script_job

KEY = b"k" * 32


@pytest.fixture
def launch(tmp_path: Path) -> dict[str, Any]:
    inputs = []
    for role in ("script", "config", "data_manifest", "data"):
        path = tmp_path / role
        path.write_bytes(b"content of " + role.encode())
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        inputs.append({"role": role, "path": str(path), "sha256": digest, "size_bytes": path.stat().st_size})
    return {"argv": ["job.py"], "inputs": inputs}


def _approval(launch: dict[str, Any], **changes: object) -> dict[str, Any]:
    record = {"launch_hash": content_hash(launch), "decision": "approve", "approver": "me", "mac": ""} | changes
    return record | {"mac": seal(record, KEY)}


def test_an_approved_launch_may_start(launch: dict[str, Any]) -> None:
    verify_launch(launch, _approval(launch), KEY)


@pytest.mark.parametrize("approval", [None, {}])
def test_no_decision(launch: dict[str, Any], approval: dict[str, Any] | None) -> None:
    with pytest.raises(ApprovalMissing, match=content_hash(launch)):
        verify_launch(launch, approval, KEY)


@pytest.mark.parametrize("mac", ["", "0" * 64, "é" * 64, None, 7, []])
def test_a_seal_that_is_none(launch: dict[str, Any], mac: object) -> None:
    with pytest.raises(ApprovalForged):
        verify_launch(launch, _approval(launch) | {"mac": mac}, KEY)


def test_another_secret(launch: dict[str, Any]) -> None:
    with pytest.raises(ApprovalForged):
        verify_launch(launch, _approval(launch), b"x" * 32)


def test_a_field_added_after_sealing(launch: dict[str, Any]) -> None:
    with pytest.raises(ApprovalForged):
        verify_launch(launch, _approval(launch) | {"note": "more"}, KEY)


def test_a_rejection_names_who_and_why(launch: dict[str, Any]) -> None:
    with pytest.raises(NotAllowed, match="rejected by me: no") as caught:
        verify_launch(launch, _approval(launch, decision="reject", reason="no"), KEY)
    assert caught.value.code == "rejected"


def test_only_the_word_approve_approves(launch: dict[str, Any]) -> None:
    with pytest.raises(NotAllowed):
        verify_launch(launch, _approval(launch, decision="Approve"), KEY)


def test_another_launch(launch: dict[str, Any]) -> None:
    approval = _approval(launch)
    with pytest.raises(ContentChanged):
        verify_launch(launch | {"argv": ["job.py", ""]}, approval, KEY)


@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_one_byte_of_one_input(launch: dict[str, Any], position: int) -> None:
    path = Path(launch["inputs"][position]["path"])
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert changed_content(launch) == f"{path.name} {path} has other bytes"
    with pytest.raises(ContentChanged, match=path.name):
        verify_launch(launch, _approval(launch), KEY)


def test_the_first_of_several_is_named(launch: dict[str, Any]) -> None:
    Path(launch["inputs"][1]["path"]).unlink()
    Path(launch["inputs"][2]["path"]).write_bytes(b"")
    assert changed_content(launch) == f"config {launch['inputs'][1]['path']} is missing"


def test_nothing_changed(launch: dict[str, Any]) -> None:
    assert changed_content(launch) is None


@pytest.mark.parametrize("name", ["torch.py", "__pycache__/fsdp_sft_loop.cpython-311.pyc", "sitecustomize.py"])
def test_code_laid_beside_the_approved_payload_is_refused(launch: dict[str, Any], tmp_path: Path, name: str) -> None:
    launch["kind"] = "train"
    assert changed_content(launch) is None
    stranger = tmp_path / name
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_bytes(b"raise SystemExit")
    with pytest.raises(ContentChanged, match=f"{name.split('/')[0]} lies beside the approved script"):
        verify_launch(launch, _approval(launch), KEY)


@pytest.mark.parametrize(
    "name",
    [
        "extras.py",
        "torch/__init__.py",
        "part/__init__.py",
        "part.abi3.so",
        "deep/er/code.py",
        "pkg/late.py",
        "random.pyc",
    ],
)
def test_code_that_has_come_beside_a_script_since_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "own"
    (folder / "pkg").mkdir(parents=True)
    for file in ("train.py", "part.py", "pkg/__init__.py", "pkg/early.py"):
        (folder / file).write_text("")
    script = UserScript(path=str(folder / "train.py"))
    (folder / "train.py").write_text("import part, pkg.early\ntry:\n    import extras\nexcept ImportError: pass\n")
    inputs = script_job(script, 2).inputs
    launch = {
        "kind": "script",
        "inputs": [entry.model_dump(mode="json") for entry in inputs],
        "importable": importable_beside(script, inputs),
    }
    # what a run leaves behind is no code to import
    for kept in ("checkpoints/step-1", "__pycache__", "out-1"):
        (folder / kept).mkdir(parents=True)
    (folder / "__pycache__" / "part.cpython-311.pyc").write_bytes(b"")
    (folder / "out-1" / "copy.py").write_text("")  # no import leads into a folder of this name
    assert changed_content(launch) is None
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("raise SystemExit")
    changed = changed_content(launch)
    assert changed is not None
    assert "was not there when this was planned" in changed
    assert str(folder) in changed


@pytest.mark.parametrize("known", [3, {"/nowhere/at/all": []}, {"/tmp": 3}, ["a"]])
def test_importable_entries_that_are_none_are_refused(launch: dict[str, Any], known: object) -> None:
    assert "cannot be read" in str(changed_content(launch | {"importable": known}))


def test_a_pipe_in_the_place_of_a_file_does_not_block(launch: dict[str, Any]) -> None:
    path = Path(launch["inputs"][0]["path"])
    path.unlink()
    os.mkfifo(path)
    assert changed_content(launch) == f"script {path} is not a regular file"


@pytest.mark.parametrize("path", ["relative/job.py", "", None, 3, "/nul\x00byte"])
def test_a_path_that_is_none(path: object) -> None:
    entry = {"role": "script", "path": path, "sha256": "0" * 64, "size_bytes": 1}
    assert changed_content({"inputs": [entry]})


@pytest.mark.parametrize("inputs", [None, 3, "abc", [1], ["x"]])
def test_inputs_that_are_none(inputs: object) -> None:
    assert changed_content({"inputs": inputs}) == "the list of inputs cannot be read"


def test_it_runs_with_the_standard_library_alone() -> None:
    root = Path(__file__).parents[3]
    code = f"import sys; sys.path.append({str(root)!r}); import runners.verify, runners.supervisor.main"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
