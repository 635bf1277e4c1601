"""doctor: on this machine, and on training interpreters that are not what they should be."""

import sys
import venv
from pathlib import Path

import pytest

from contracts.settings import Settings
from interfaces import machine, training_python
from interfaces.results import Check
from interfaces.service_doctor import examine
from interfaces.training_python import training_checks


def executable(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def by_name(checks: tuple[Check, ...] | list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_this_environment_is_ready(tmp_path: Path) -> None:
    import torch

    health = examine(Settings(home=str(tmp_path / "not" / "there" / "yet")))
    checks = by_name(health.checks)
    assert health.ready
    assert torch.__version__ in checks["torch"].value
    assert checks["gloo"].verdict == "ok"
    assert checks["langgraph_server"].verdict in ("ok", "missing")
    assert checks["loopback"].verdict == "ok"
    assert not (tmp_path / "not").exists()  # it looks, and makes nothing
    for check in health.checks:
        assert check.verdict == "ok" or check.hint, check


def test_a_python_without_torch_is_not_ready(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    checks = by_name(training_checks(str(tmp_path / "bare" / "bin" / "python")))
    assert checks["training_python"].verdict == "ok"
    assert checks["torch"].verdict == "missing"
    assert checks["torch"].required
    assert checks["transformers"].verdict == "missing"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\necho hello\n", "is no usable Python"),
        ("#!/bin/sh\necho broken >&2\nexit 3\n", "exit status 3): broken"),
        ("#!/bin/sh\necho '[1]'\n", "unexpected answer"),
        ("not a program", "Exec format error"),
    ],
)
def test_what_is_no_python_is_named(tmp_path: Path, text: str, said: str) -> None:
    (check,) = training_checks(executable(tmp_path / "python", text))
    assert (check.verdict, check.required) == ("missing", True)
    assert said in check.value


def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    (check,) = training_checks(str(tmp_path / "none"))
    assert "No such file" in check.value
    assert "--interpreter" in check.hint


def test_an_interpreter_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_python, "_TIMEOUT_S", 0.5)
    (check,) = training_checks(executable(tmp_path / "python", "#!/bin/sh\nexec sleep 60\n"))
    assert "did not answer" in check.value


def test_a_file_of_the_current_folder_is_no_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('never imported')")
    monkeypatch.chdir(tmp_path)
    checks = by_name(training_checks(sys.executable))
    assert checks["torch"].verdict == "ok"


def test_an_old_torch_is_a_warning(tmp_path: Path) -> None:
    facts = '{"python": "3.10.1", "torch": "2.3.1", "cuda": "12.1", "devices": 2, "nccl": true, "gloo": true}'
    checks = by_name(training_checks(executable(tmp_path / "python", f"#!/bin/sh\necho '{facts}'\n")))
    assert checks["torch"].verdict == "warning"
    assert checks["nccl"].verdict == "ok"


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        (
            "#!/bin/sh\nfor i in 1 2; do echo 'NVIDIA H100, 81559 MiB'; done\n",
            "ok",
            "2: NVIDIA",
        ),
        ("#!/bin/sh\necho 'driver mismatch' >&2\nexit 18\n", "missing", "driver mismatch"),
        ("#!/bin/sh\nexit 0\n", "missing", "no GPU listed"),
        ("#!/bin/sh\nexec sleep 60\n", "warning", "did not answer"),
    ],
)
def test_gpus_are_those_of_nvidia_smi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, verdict: str, said: str
) -> None:
    executable(tmp_path / "nvidia-smi", text)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(machine, "_NVIDIA_SMI_TIMEOUT_S", 0.5)
    check = machine.gpus()
    assert check.verdict == verdict
    assert said in check.value


def test_a_cgroup_limit_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cpu.max").write_text("100000 100000\n")  # one core
    (tmp_path / "memory.max").write_text(f"{2 << 30}\n")
    (tmp_path / "memory.current").write_text(f"{1 << 30}\n")
    monkeypatch.setattr(machine, "_CGROUP", tmp_path)
    assert (machine.cores().value, machine.cores().verdict) == ("1", "warning")
    assert machine.memory().value == "1.0 GiB free of 2.0 GiB"
    assert machine.memory().verdict == "warning"
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert machine.memory().value != "1.0 GiB free of 2.0 GiB"


def test_an_owners_configuration_that_is_not_believed_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config.toml"
    path.write_text("")
    path.chmod(0o666)
    monkeypatch.setenv("FSDP_AGENT_CONFIG", str(path))
    check = by_name(examine(Settings(home=str(tmp_path))).checks)["owner_config"]
    assert (check.verdict, check.hint) == ("warning", f"chmod 600 {path}")
