"""Configurations that are broken, hostile or none at all."""

import json

import pytest

from contracts.errors import CannotBeKnown, FileUnreadable, RequestInvalid
from engines.sizing.hf_config import from_config, read_folder, shape_of

GOOD = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 160,
    "vocab_size": 256,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_attention_heads": 3}, "64 / 3 = 21.33"),
        ({"num_key_value_heads": 3}, "4 / 3 = 1.33"),
        ({"num_attention_heads": 0}, "num_attention_heads is 0"),
        ({"hidden_size": "64"}, "hidden_size"),
        ({"hidden_size": True}, "hidden_size"),
        ({"hidden_size": -64}, "hidden_size"),
        ({"hidden_size": 64.5}, "hidden_size"),
        ({"vocab_size": None}, "vocab_size"),
        ({"num_hidden_layers": 10**12}, "layers"),
        ({"hidden_size": 10**30, "num_attention_heads": 1}, "hidden"),
        ({"model_type": None}, "model_type"),
        ({"model_type": ["llama"]}, "model_type"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings"),
        ({"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3}, "3 experts per token of 2"),
        ({"model_type": "qwen3_moe"}, "num_experts"),
    ],
)
def test_a_field_that_makes_no_sense_is_named(change, said):
    with pytest.raises(RequestInvalid) as raised:
        from_config(GOOD | change, "mine")
    assert said in raised.value.message
    assert "mine" in raised.value.message


@pytest.mark.parametrize("config", [[], None, "llama", 3, {}])
def test_what_is_no_configuration_is_refused(config):
    with pytest.raises(RequestInvalid):
        from_config(config)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 200_000, b'{"a": ' * 100_000, b" " * (2 << 20)])
def test_files_that_are_no_json_are_refused(tmp_path, content):
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(RequestInvalid):
        read_folder(tmp_path)


def test_a_folder_without_config_is_unreadable(tmp_path):
    with pytest.raises(FileUnreadable):
        shape_of(str(tmp_path))


def test_a_folder_is_read_and_names_the_model(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(GOOD))
    shape = shape_of(str(folder))
    # by hand: 2 x 256 x 64 + 64 + 2 x (4 x 64 x 64 + 3 x 64 x 160 + 2 x 64)
    assert (shape.name, shape.params) == ("tiny", 127_296)


def test_text_config_of_a_multimodal_model_is_read():
    assert from_config({"model_type": "llava", "text_config": GOOD}).layers == 2


def test_a_name_that_is_not_known_is_said_with_those_that_are():
    with pytest.raises(CannotBeKnown) as raised:
        shape_of("no-such-model-9x")
    assert "Llama-3-8B" in raised.value.hint
