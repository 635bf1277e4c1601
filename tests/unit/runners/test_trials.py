"""The launch of trials: one approval lists and covers them all; what came of them is read from the run folder."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from contracts.canonical import canonical_json
from contracts.errors import FileUnreadable, RequestInvalid, UnknownRun
from contracts.launch import LaunchRequest
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.trials import Trial
from runners import Home, changed_content, prepare_trials, read_trials
from runners.trials import MEASURED_STEPS, WARMUP_STEPS

RUN = "r-0123456789ab"


@pytest.fixture
def asked(tmp_path: Path) -> dict:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "llama", "max_position_embeddings": 128}')
    (model / "model.safetensors").write_bytes(b"\0" * 64)
    (model / "tokenizer.json").write_text("{}")
    return {"intent": "plan", "model": {"path": str(model)}, "hardware": {"ranks": 2, "device": "cpu"}}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def trials(**changes: dict) -> list[Trial]:
    base = Recipe(steps=500, seq_len=64, warmup_steps=50, checkpoint_every=10, eval_every=10)
    first = Trial(label="chosen", recipe=base, predicted_tokens_per_s_per_gpu=1000.0, predicted_reserved_gib=3.0)
    others = [
        Trial(label=label.replace("_", "-"), recipe=base.model_copy(update=change), predicted_reserved_gib=4.0)
        for label, change in changes.items()
    ]
    return [first, *others]


def prepare(asked: dict, home: Home, *tried: Trial) -> LaunchRequest:
    return prepare_trials(Request.model_validate(asked), tried or trials(ac_full={"micro_batch": 2}), home).launch


def file_of(launch: LaunchRequest, name: str) -> Path:
    return next(Path(entry.path) for entry in launch.inputs if Path(entry.path).name == name)


def test_every_trial_is_listed_with_its_settings_and_is_what_the_payload_will_start(asked: dict, home: Home) -> None:
    launch = prepare(asked, home)
    assert (launch.kind, launch.resources.ranks_per_node) == ("trials", 2)
    assert [(one.label, one.settings["micro_batch"]) for one in launch.launches] == [("chosen", 1), ("ac-full", 2)]
    told = json.loads(file_of(launch, "trials.json").read_text())
    assert told["trials"] == [{"label": one.label, "argv": list(one.argv)} for one in launch.launches]
    assert launch.argv[-1] == str(file_of(launch, "trials.json"))
    for one in launch.launches:
        assert f"--log-dir={{run_dir}}/trials/{one.label}/log" in one.argv
        config = json.loads(Path(one.argv[-1]).read_text())
        assert (config["trial"], config["eval_data"], config["device"]) == (True, None, "cpu")
        recipe = config["recipe"]
        assert recipe["steps"] == WARMUP_STEPS + MEASURED_STEPS == one.settings["steps"]
        assert (recipe["checkpoint_every"], recipe["eval_every"], recipe["export"]) == (0, 0, False)
        assert recipe["warmup_steps"] < recipe["steps"]
    assert launch.estimated_peak_gib == 4.0
    assert launch.estimated_minutes is None  # the second has no predicted speed


def test_every_file_that_any_trial_reads_is_approved_by_its_content(asked: dict, home: Home) -> None:
    launch = prepare(asked, home)
    plain = launch.model_dump(mode="json")
    assert changed_content(plain) is None
    for entry in launch.inputs:
        assert entry.sha256 == hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
    config = Path(launch.launches[1].argv[-1])
    assert str(config) in {entry.path for entry in launch.inputs}
    config.chmod(0o644)
    config.write_text(config.read_text().replace('"seq_len": 64', '"seq_len": 65'))
    assert "ac-full.json" in str(changed_content(plain))


def test_another_file_beside_the_payload_is_found(asked: dict, home: Home) -> None:
    launch = prepare(asked, home)
    file_of(launch, "trials.json").with_name("torch.py").write_text("")
    assert "torch.py" in str(changed_content(launch.model_dump(mode="json")))


def test_the_settings_of_a_trial_are_part_of_the_hash(asked: dict, home: Home) -> None:
    one, other = prepare(asked, home), prepare(asked, home, *trials(ac_full={"micro_batch": 4}))
    assert one.launch_hash != other.launch_hash
    assert one.launch_hash == prepare(asked, home).launch_hash  # the same again is the same


def test_sentences_are_made_up_where_there_is_no_data_and_fill_the_sequence(asked: dict, home: Home) -> None:
    launch = prepare(asked, home)
    data = file_of(launch, "synthetic.jsonl")
    assert {entry.role for entry in launch.inputs if entry.path == str(data)} == {"data"}
    examples = [json.loads(line)["text"] for line in data.read_text().splitlines()]
    assert all(len(text.split()) >= 64 for text in examples)
    assert json.loads(Path(launch.launches[0].argv[-1]).read_text())["train_data"] == str(data)


def test_data_that_is_named_is_read_and_approved(asked: dict, home: Home, tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n')
    launch = prepare(asked | {"data": {"train": str(tmp_path / "train.jsonl")}}, home)
    assert str(tmp_path / "train.jsonl") in {entry.path for entry in launch.inputs}
    assert not [entry for entry in launch.inputs if entry.path.endswith("synthetic.jsonl")]
    with pytest.raises(FileUnreadable, match=r"absent\.jsonl"):
        prepare(asked | {"data": {"train": str(tmp_path / "absent.jsonl")}}, home)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": {"name": "Llama-3-8B"}}, "model.path"),
        ({"method": "lora"}, "lora"),
        ({"optimizer": "muon"}, "muon"),
        ({"hardware": {"ranks": 2, "device": "cpu", "nodes": 2}}, "one machine"),
        ({"script": {"path": "/x/train.py"}}, "a script of your own"),
    ],
)
def test_what_the_built_in_recipe_cannot_run_here_is_refused(asked: dict, home: Home, changes: dict, says: str) -> None:
    with pytest.raises(RequestInvalid, match=says):
        prepare(asked | changes, home)
    assert not home.plans.exists()


def test_a_sequence_beyond_the_model_and_too_many_trials_are_refused(asked: dict, home: Home) -> None:
    with pytest.raises(RequestInvalid, match="max_position_embeddings 128"):
        prepare(asked, home, *trials(long={"seq_len": 256}))
    many = [Trial(label=f"t{number}", recipe=Recipe(seq_len=64)) for number in range(9)]
    with pytest.raises(RequestInvalid, match="9 trials"):
        prepare(asked, home, *many)


@pytest.fixture
def run(asked: dict, home: Home) -> Path:
    """A run folder of two trials in which nothing was written yet."""
    launch = prepare(asked, home)
    folder = home.runs / RUN
    (folder / "trials").mkdir(parents=True)
    (folder / "spec.json").write_bytes(canonical_json(launch.model_dump(mode="json")))
    return folder


def test_what_was_measured_before_the_run_ended_is_read_and_the_rest_is_not_run(run: Path, home: Home) -> None:
    (run / "trials" / "chosen.json").write_text(
        json.dumps({"label": "chosen", "status": "measured", "steps": 8, "tokens_per_s_per_gpu": 5.0, "new": 1})
    )
    first, second = read_trials(home, RUN)
    assert (first.status, first.tokens_per_s_per_gpu, first.steps) == ("measured", 5.0, 8)
    assert (second.label, second.status) == ("ac-full", "not_run")
    assert second.reason


def test_a_trial_that_died_is_told_by_the_last_words_of_its_first_rank(run: Path, home: Home) -> None:
    folder = run / "trials" / "chosen"
    log = folder / "log" / "x" / "attempt_0" / "1"
    log.mkdir(parents=True)
    (log / "stderr.log").write_text("Traceback\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n")
    (folder / "torchrun.log").write_text(
        "Root Cause (first observed failure):\n[0]:\n  rank      : 1 (local_rank: 1)\n  exitcode  : 1 (pid: 7)\n"
    )
    (run / "trials" / "chosen.json").write_text(json.dumps({"label": "chosen", "status": "failed", "exit_code": 1}))
    found = read_trials(home, RUN)[0]
    assert found.status == "failed"
    assert "rank 1 exited with 1: torch.OutOfMemoryError: CUDA out of memory" in str(found.reason)


@pytest.mark.parametrize("content", ["{", "[]", '{"status": "won"}', '{"status": "measured", "steps": "many"}'])
def test_a_result_that_is_none_counts_as_not_run(run: Path, home: Home, content: str) -> None:
    (run / "trials" / "chosen.json").write_text(content)
    assert read_trials(home, RUN)[0].status == "not_run"


def test_only_a_run_of_trials_has_results(run: Path, home: Home) -> None:
    for name in ("r-ffffffffffff", "../runs", ""):
        with pytest.raises(UnknownRun):
            read_trials(home, name)
    spec = json.loads((run / "spec.json").read_text()) | {"kind": "train", "launches": []}
    (run / "spec.json").write_bytes(canonical_json(spec))
    with pytest.raises(UnknownRun, match="is a train run"):
        read_trials(home, RUN)


def test_more_ranks_than_cores_are_warned_of_and_many_more_are_refused(asked: dict, home: Home) -> None:
    cores = len(os.sched_getaffinity(0))
    crowded = asked | {"hardware": {"ranks": 4 * cores, "device": "cpu"}}
    prepared = prepare_trials(Request.model_validate(crowded), trials(), home)
    assert f"{4 * cores} ranks share {cores} cores: they will wait for each other" in prepared.warnings
    assert prepared.launch.resources.cores_per_node == cores
    far_too_many = asked | {"hardware": {"ranks": 4 * cores + 1, "device": "cpu"}}
    with pytest.raises(RequestInvalid, match=rf"4 x {cores} = {4 * cores} < {4 * cores + 1}"):
        prepare_trials(Request.model_validate(far_too_many), trials(), home)
