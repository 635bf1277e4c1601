"""`plan` with what goes beyond a prediction: trials, a varied setting, a dry run, measured peaks, other optimizers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from engines.sizing.calibration import Record, stored_name
from engines.sizing.hf_config import named_shape
from interfaces.cli.main import run_command
from interfaces.cli.schemas import schema_of
from interfaces.training_python import torch_version
from tests.flows.conftest import make_model

ROOT = Path(__file__).parents[2]
CLI = str(Path(sys.executable).parent / "fsdp-agent")
SMALL = ("--model", "Llama-3.2-1B", "--gpus", "4", "--gpu", "A100-40GB", "--seq-len", "2048", "--micro-batch", "1")


def ask(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = run_command(["plan", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def answered(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict:
    code, out, err = ask(capsys, *words, "--json")
    assert code in (0, 1), err
    found = json.loads(out)
    jsonschema.validate(found, schema_of("plan"))
    return found


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return make_model(tmp_path)


def test_trials_are_put_before_a_person_with_every_launch_and_nothing_starts(
    capsys: pytest.CaptureFixture[str], model: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    cpu = ("--model", model, "--gpus", "2", "--device", "cpu", "--seq-len", "32", "--home", home)
    code, out, err = ask(capsys, *cpu, "--trials", "3", "--json")
    assert code == 4, err
    found = json.loads(out)
    jsonschema.validate(found, schema_of("plan-trials"))
    assert found["phase"] == "awaiting_approval"
    assert found["launch_hash"]
    assert [one["label"] for one in found["launch"]["launches"]] == [one["label"] for one in found["trials"]["trials"]]
    assert len(found["launch"]["launches"]) == 3
    assert found["trials"]["results"] == []
    assert not (home / "runs").exists()
    # the same for a person: each with its settings and its whole command line
    code, out, _ = ask(capsys, *cpu, "--trials", "3")
    assert code == 4
    for one in found["launch"]["launches"]:
        assert f"in turn      {one['label']}: activation_checkpointing=" in out
        assert one["argv"][-1] in out
    assert f"fsdp-agent approve {found['launch_hash']}" in out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((*SMALL, "--trials", "2"), 2, "a name or a size is not enough"),
        ((*SMALL, "--trials", "9"), 2, "8"),
        (("--model", "MODEL", "--gpus", "2", "--device", "cpu", "--trials", "2", "--vary", "seq_len=1,2"), 2, "alone"),
        ((*SMALL, "--store-calibration"), 2, "belong to --trials"),
        ((*SMALL, "--vary", "micro_batch"), 2, "key=a,b,c"),
        ((*SMALL, "--vary", "colour=red"), 2, "is no setting"),
        ((*SMALL, "--calibration", "stored"), 2, "nothing is stored"),
        (("--model", "Llama-3-8B", "--gpus", "8", "--gpu", "Zeta9", "--seq-len", "2048"), 3, "H100"),
    ],
)
def test_wrong_use_is_told(
    capsys: pytest.CaptureFixture[str],
    model: Path,
    tmp_path: Path,
    words: tuple[str, ...],
    code: int,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FSDP_AGENT_HOME", str(tmp_path / "home"))
    found, _, err = ask(capsys, *(str(model) if word == "MODEL" else word for word in words))
    assert (found, says in err) == (code, True), err


def test_a_setting_is_varied(capsys: pytest.CaptureFixture[str]) -> None:
    found = answered(capsys, *SMALL, "--vary", "micro_batch=1,2,4")
    rows = found["varied"]["rows"]
    assert [row["micro_batch"] for row in rows] == ["1", "2", "4"]
    assert rows[0]["reserved"] == pytest.approx(found["memory"]["reserved_gib"], abs=0.001)
    code, out, _ = ask(capsys, *SMALL, "--vary", "micro_batch=1,2,4")
    assert code in (0, 1)
    assert "micro_batch=1 takes the least" in out


def test_an_optimizer_with_less_state_needs_less_and_a_script_of_one_s_own(capsys: pytest.CaptureFixture[str]) -> None:
    usual, small = answered(capsys, *SMALL), answered(capsys, *SMALL, "--optimizer", "adamw_8bit")
    # 2 bytes of moments for each of 1.236e9 parameters on 4 ranks, not 8
    state = small["memory"]["breakdown"]["optimizer_state"]
    assert state == pytest.approx(2 * 1.236e9 / 4 / 2**30, rel=0.05)
    assert usual["memory"]["breakdown"]["optimizer_state"] == pytest.approx(4 * state, rel=0.05)
    assert any("adamw_8bit needs a script of your own" in warning for warning in small["warnings"])


def test_memory_of_an_unknown_gpu_may_be_stated(capsys: pytest.CaptureFixture[str]) -> None:
    found = answered(
        capsys, "--model", "Llama-3.2-1B", "--gpus", "4", "--gpu", "Zeta9", "--gpu-memory", "80", "--seq-len", "512"
    )
    assert found["memory"]["capacity_gib"] == pytest.approx(80e9 / 2**30, rel=1e-3)


def test_what_trials_stored_is_taken_into_account_when_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from contracts.request import Request
    from engines.sizing.choose import setup_of

    plain = answered(capsys, *SMALL)
    fields = {"gpus": 4, "gpu_type": "A100-40GB"}
    request = Request.model_validate({"hardware": fields, "recipe": plain["config"]})
    setup, home = setup_of(request, request.recipe, 4), tmp_path / "home"
    # half as much again as predicted, at four fifths of the predicted speed
    record = Record(
        named_shape("Llama-3.2-1B"), setup, 1.5 * plain["memory"]["reserved_gib"], "run r-1, trial chosen", 0.8
    )
    (home / "calibration").mkdir(parents=True)
    (home / "calibration" / stored_name("A100-40GB", torch_version(None))).write_text(record.line() + "\n")
    told = answered(capsys, *SMALL, "--calibration", "stored", "--home", home)["calibrated"]
    assert told["reserved_gib"] == pytest.approx(1.5 * plain["memory"]["reserved_gib"], rel=1e-4)
    assert told["tokens_per_s_per_gpu"] == pytest.approx(0.8 * plain["throughput"]["tokens_per_s_per_gpu"], rel=1e-4)
    assert told["used"][0]["source"] == "run r-1, trial chosen"


def test_a_peak_that_cannot_be_of_this_run_is_not_stored(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.jsonl"
    words = ["estimate", "--model", "Llama-3.2-1B", "--gpus", "4", "--seq-len", "2048", "--calibration", str(mine)]
    # 12 GiB given in MiB
    assert run_command([*words, "--measured", "12288", "--source", "run 7"]) == 2
    assert "times the" in capsys.readouterr().err
    assert not mine.exists()


@pytest.mark.train
def test_the_chosen_configuration_is_run_dry_beside_its_prediction(
    capsys: pytest.CaptureFixture[str], model: Path, tmp_path: Path
) -> None:
    words = ("--model", model, "--gpus", "2", "--gpu", "A100-40GB", "--seq-len", "64", "--micro-batch", "2")
    found = answered(capsys, *words, "--dry-run", "--home", tmp_path / "home")
    dry = found["dry_run"]
    assert dry["run"]["state"] == "done"
    assert (dry["ranks"], dry["fits"]) == (2, True)
    assert dry["dry_run"]["reserved_gib"] == pytest.approx(found["memory"]["reserved_gib"], rel=0.05)


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_approved_trials_end_in_a_table_of_measured_beside_predicted(tmp_path: Path) -> None:
    script = ROOT / "examples" / "tiny_sft" / "make.py"
    subprocess.run([sys.executable, script, tmp_path / "build"], check=True, timeout=300)
    environment = os.environ | {"FSDP_AGENT_HOME": str(tmp_path / "home"), "OMP_NUM_THREADS": "1"}

    def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [CLI, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=800,
            env=environment,
            stdin=subprocess.DEVNULL,
        )

    cpu = ("--model", tmp_path / "build" / "model", "--gpus", "2", "--device", "cpu", "--seq-len", "64")
    data = ("--data", tmp_path / "build" / "train.jsonl", "--precision", "fp32")
    waiting = call("plan", *cpu, *data, "--trials", "2", "--json")
    assert waiting.returncode == 4, waiting.stderr
    launch_hash = json.loads(waiting.stdout)["launch_hash"]
    ended = call("approve", launch_hash, "--follow")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "2 of 2 trials were measured." in ended.stdout
    assert "Winner: " in ended.stdout
    again = call("approve", launch_hash, "--json")
    thread = json.loads(again.stdout)
    jsonschema.validate(thread, schema_of("approve"))
    assert [result["status"] for result in thread["trials"]["results"]] == ["measured", "measured"]
    # with data the winner's own training is ready to be put forward
    assert thread["plan"]["launch"]["kind"] == "train"
    assert len(list((tmp_path / "home" / "runs").iterdir())) == 1
