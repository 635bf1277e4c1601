import dataclasses
import json

import pytest
from fsdp_sft_config import Config, ConfigError, Recipe, load_config, parse_config, parse_recipe
from pydantic import ValidationError

from contracts.recipe import Recipe as Contract


@pytest.fixture
def raw(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n')
    return {"model": str(tmp_path / "model"), "train_data": str(tmp_path / "train.jsonl"), "device": "cpu"}


def test_recipe_has_the_fields_and_defaults_of_the_contract():
    mine = {field.name: field.default for field in dataclasses.fields(Recipe)}
    assert mine == Contract().model_dump()


WRONG = [
    ("steps", 0),
    ("steps", -5),
    ("steps", "10"),
    ("steps", 1.5),
    ("steps", None),
    ("seq_len", 1),
    ("micro_batch", 0),
    ("grad_accum", 0),
    ("lr", 0),
    ("lr", float("inf")),
    ("lr", float("nan")),
    ("lr", "1e-3"),
    ("min_lr_ratio", 1.5),
    ("min_lr_ratio", -0.1),
    ("warmup_steps", 100),
    ("weight_decay", -1),
    ("beta1", 1),
    ("beta2", 1.0),
    ("eps", 0),
    ("max_grad_norm", -1),
    ("param_dtype", "fp16"),
    ("reduce_dtype", 32),
    ("activation_checkpointing", True),
    ("cpu_offload", 1.5),
    ("dp_replicate", 0),
    ("seed", -1),
    ("eval_batches", 0),
    ("keep_checkpoints", 1),
    ("log_every", 0),
    ("learning_rate", 1e-3),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_what_the_contract_refuses_the_payload_refuses_and_names(name, value):
    with pytest.raises(ConfigError, match=name):
        parse_recipe({name: value})
    with pytest.raises(ValidationError):
        Contract.model_validate({name: value}, strict=True)


@pytest.mark.parametrize(
    "values", [{}, {"lr": 1}, {"steps": 2, "warmup_steps": 1}, {"min_lr_ratio": 1}, {"max_grad_norm": 0}, {"beta1": 0}]
)
def test_what_the_contract_takes_the_payload_takes(values):
    assert dataclasses.asdict(parse_recipe(values)) == Contract.model_validate(values).model_dump()


def test_true_is_not_a_number_of_steps():
    with pytest.raises(ConfigError, match="steps must be a whole number, not True"):
        parse_recipe({"steps": True})


def test_reads_a_whole_configuration(raw, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({**raw, "eval_data": None, "recipe": {"steps": 3}}))
    config = load_config(tmp_path / "config.json")
    assert config == Config(tmp_path / "model", tmp_path / "train.jsonl", None, "cpu", Recipe(steps=3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"modell": "x"},
            "unknown keys modell; it may have device, eval_data, model, recipe, resume_from, train_data, trial",
        ),
        ({"model": "nowhere"}, "nowhere is not a Hugging Face folder"),
        ({"model": None}, "not null"),
        ({"train_data": "nowhere.jsonl"}, "train_data: there is no file nowhere.jsonl"),
        ({"eval_data": "nowhere.jsonl"}, "eval_data: there is no file nowhere.jsonl"),
        ({"resume_from": "nowhere"}, "resume_from: there is no checkpoint nowhere"),
        ({"train_data": 3}, "train_data must be a path, not 3"),
        ({"device": "tpu"}, "device must be one of cpu, cuda"),
        ({"recipe": [1]}, "recipe must be a JSON object, not list"),
    ],
)
def test_refuses_a_wrong_configuration_with_one_clear_message(raw, change, message):
    with pytest.raises(ConfigError, match=message):
        parse_config(raw | change)


def test_refuses_what_is_no_configuration_at_all(raw, tmp_path):
    with pytest.raises(ConfigError, match="cannot read the configuration"):
        load_config(tmp_path / "missing.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(ConfigError, match="is not JSON"):
        load_config(tmp_path / "broken.json")
    del raw["train_data"]
    with pytest.raises(ConfigError, match="lacks 'train_data'"):
        parse_config(raw)
