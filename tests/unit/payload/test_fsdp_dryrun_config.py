"""What a dry run may be told."""

import json

import pytest
from fsdp_dryrun_config import parse_dryrun, read_dryrun
from fsdp_sft_config import ConfigError

FEW = {"config": "model.json", "ranks": 16, "dp_shard": 8, "dp_replicate": 2, "seq_len": 128}


def test_a_configuration_beside_the_file(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(FEW | {"layers": [2, 4]}))
    run = read_dryrun(file)
    assert run.config == str(tmp_path / "model.json")
    assert run.layers == (2, 4)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"unknown": 1}, "unknown"),
        ({"ranks": 12}, "2 x 8 = 16"),
        ({"ranks": "16"}, "ranks must be int"),
        ({"seq_len": 0}, "at least 1"),
        ({"optimizer": "lion"}, "optimizer must be one of"),
        ({"layers": 4}, "list of numbers"),
        ({"factory": "mine:build"}, "either config"),
        ({"config": 7}, "must be text"),
    ],
)
def test_wrong_values_are_named(change, word):
    with pytest.raises(ConfigError, match=word):
        parse_dryrun(FEW | change)


def test_what_is_no_object():
    with pytest.raises(ConfigError, match="JSON object"):
        parse_dryrun([1])
