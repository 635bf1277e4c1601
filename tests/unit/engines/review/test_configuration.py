"""Configuration documents: kinds, the common spelling of keys, lines, values."""

import pytest

from engines.review.configuration import ConfigUnreadable, Unread, read_config

ACCELERATE = """\
distributed_type: FSDP
fsdp_config:
  fsdp_version: 2
  offload_params: true   # no prefix
"""


def test_accelerate_keys_have_one_spelling_and_their_lines() -> None:
    document = read_config("fsdp.yaml", ACCELERATE)
    assert document is not None
    assert document.kind == "accelerate"
    entry = document.get("fsdp.offload_params")
    assert entry is not None
    assert (entry.value, entry.line, entry.column, entry.written) == (True, 4, 3, "offload_params")
    assert [entry.path for entry in document.section("fsdp")] == ["fsdp.version", "fsdp.offload_params"]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.yaml", "base_model: x\nfsdp_version: 2\n", "axolotl"),
        ("a.yaml", "output_dir: x\nfsdp: full_shard\n", "trainer"),
        ("a.yaml", "model:\n  _component_: torchtune.models.llama3.llama3_8b\n", "torchtune"),
        ("a.toml", "[parallelism]\ndata_parallel_shard_degree = -1\n", "torchtitan"),
        ("a.json", '{"fsdp_transformer_layer_cls_to_wrap": ["Block"]}', "fsdp_json"),
        ("a.yaml", "fsdp_config:\n  param_offload: true\n", None),
        ("a.yaml", "colour: blue\n", None),
    ],
)
def test_kinds(name: str, text: str, kind: str | None) -> None:
    document = read_config(name, text)
    assert (document.kind if document is not None else None) == kind


def test_toml_lines_are_those_of_the_section() -> None:
    document = read_config("t.toml", "[job]\ndegree = 1\n\n[parallelism]\ndata_parallel_shard_degree = 4\ndegree = 2\n")
    assert document is not None
    entry = document.get("parallelism.degree")
    assert entry is not None
    assert (entry.value, entry.line) == (2, 6)


def test_templates_are_not_read_as_values() -> None:
    document = read_config("a.yaml", "base_model: x\nfsdp: ${FSDP}\ndeepspeed: '{{ ds }}'\n")
    assert document is not None
    entry = document.get("deepspeed")
    assert entry is not None
    assert isinstance(entry.value, Unread)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.yaml", "fsdp: [1, 2\n"), ("a.toml", "fsdp = = 1\n")],
)
def test_what_cannot_be_read_says_so(name: str, text: str) -> None:
    with pytest.raises(ConfigUnreadable):
        read_config(name, text)


@pytest.mark.parametrize(
    "value", ["!!python/name:os.system ''", "!env HOME", "!!python/object/apply:os.getcwd []", "2024-99-99"]
)
def test_tags_of_other_programs_are_not_acted_on(value: str) -> None:
    document = read_config("a.yaml", f"base_model: x\nfsdp_version: 2\nseen: {value}\n")
    assert document is not None
    entry = document.get("seen")
    assert entry is not None
    assert isinstance(entry.value, Unread) or entry.value == []
