"""What an export is told is checked before torch loads."""

import json

import pytest
from fsdp_export import load_export, main
from fsdp_sft_config import ConfigError


@pytest.fixture
def asked(tmp_path):
    paths = {"model": "model", "checkpoint": "ckpt/step-00000010", "target": "out"}
    return {name: str(tmp_path / place) for name, place in paths.items()} | {"device": "cpu", "recipe": {"steps": 7}}


def write(tmp_path, asked):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(asked))
    return path


def test_a_whole_configuration(tmp_path, asked):
    found = load_export(write(tmp_path, asked))
    assert (found.training.device, found.training.recipe.steps) == ("cpu", 7)
    assert found.target == tmp_path / "out"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"extra": 1}, "JSON object with"),
        ({"target": "relative"}, "absolute"),
        ({"model": 3}, "absolute"),
        ({"device": "tpu"}, "device"),
        ({"recipe": {"stepz": 1}}, "stepz"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, asked, change, said):
    with pytest.raises(ConfigError, match=said):
        load_export(write(tmp_path, asked | change))


def test_a_target_that_exists_is_refused_in_the_last_moment_too(tmp_path, asked, capsys):
    (tmp_path / "out").mkdir()
    assert main(["--config", str(write(tmp_path, asked))]) == 2
    assert "exists" in capsys.readouterr().err
