"""Request files: what they mean, where their paths point, and how bad ones are refused."""

import json
import os
import time
from pathlib import Path

import pytest

from contracts.errors import FileUnreadable, RequestInvalid
from contracts.request import Request
from engines.intake.request_file import MAX_BYTES, parse_request, read_request

GOOD = """\
intent: run
model: {path: models/tiny}
data: {train: data/train.jsonl, eval: /abs/eval.jsonl}
hardware: {ranks: 2, device: cpu}
recipe: {steps: 20, lr: 1e-3, export: no}
torch: 2.10
script: {path: ../train.py, args: [--lr, 1e-4, 3]}
paths: [logs, "-"]
interpreter: envs/bin/python
"""


def write(folder: Path, content: str | bytes, name: str = "request.yaml") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(folder: Path, content: str | bytes, name: str = "request.yaml") -> str:
    with pytest.raises(RequestInvalid) as caught:
        read_request(write(folder, content, name))
    assert str(folder / name) in caught.value.message
    assert "\n" not in caught.value.message
    return caught.value.message


def test_paths_are_resolved_against_the_folder_of_the_file(tmp_path: Path) -> None:
    request = read_request(write(tmp_path, GOOD))
    assert request.model is not None
    assert request.model.path == str(tmp_path / "models/tiny")
    assert request.data is not None
    assert request.data.train == str(tmp_path / "data/train.jsonl")
    assert request.data.eval == "/abs/eval.jsonl"
    assert request.script is not None
    assert request.script.path == str(tmp_path / "../train.py")
    assert request.paths == (str(tmp_path / "logs"), "-")
    assert request.interpreter == str(tmp_path / "envs/bin/python")


def test_a_relative_file_name_gives_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "paths: [logs]")
    monkeypatch.chdir(tmp_path)
    assert read_request("request.yaml").paths == (str(tmp_path / "logs"),)


def test_a_bare_interpreter_is_left_to_the_search_path(tmp_path: Path) -> None:
    assert read_request(write(tmp_path, "interpreter: python3")).interpreter == "python3"


def test_numbers_mean_what_people_mean(tmp_path: Path) -> None:
    """YAML 1.1 reads 1e-3 as text, 2.10 as 2.1 and 1e-4 in a list of arguments as either."""
    request = read_request(write(tmp_path, GOOD))
    assert request.recipe.lr == 0.001
    assert request.recipe.export is False
    assert request.torch == "2.10"
    assert request.script is not None
    assert request.script.args == ("--lr", "1e-4", "3")


def test_json_is_read_by_its_name(tmp_path: Path) -> None:
    body = {"torch": 2.10, "recipe": {"steps": 20}, "text": "æøå"}
    request = read_request(write(tmp_path, json.dumps(body), "request.json"))
    assert (request.torch, request.recipe.steps, request.text) == ("2.1", 20, "æøå")


def test_only_given_fields_are_set(tmp_path: Path) -> None:
    assert read_request(write(tmp_path, "recipe: {steps: 5}")).recipe.model_fields_set == {"steps"}


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("intnt: run", ["intnt: unknown key", "did you mean 'intent'"]),
        ("recipe: {stps: 3}", ["recipe.stps: unknown key", "did you mean 'steps'"]),
        # of the keys that have the word, the one that takes the value
        ("hardware: {gpu: H100}", ["hardware.gpu: unknown key", "did you mean 'gpu_type'"]),
        ("hardware: {GPU: RTX 4090}", ["hardware.GPU: unknown key", "did you mean 'gpu_type'"]),
        ("hardware: {gpu: 8}", ["did you mean 'gpus'"]),
        ("hardware: {gpu: 79.5}", ["did you mean 'gpu_mem_gb'"]),
        ("hardware: {gpu_mem: 80 GB}", ["did you mean 'gpu_mem_gb'"]),
        ("recipe: {batch: 4}", ["did you mean 'micro_batch'"]),
        ("recipe: {zzz: 3}", ["recipe.zzz: unknown key", "known keys here", "micro_batch"]),
        ("recipe: {micro_batch: -2}", ["recipe.micro_batch: must be 1 or more", "-2 was given"]),
        ("hardware: {gpus: -1}", ["hardware.gpus: must be 1 or more"]),
        ("hardware: {gpus: 1.5}", ["hardware.gpus: must be a whole number"]),
        ("recipe: {seq_len: yes}", ["recipe.seq_len: must be a whole number", "True was given"]),
        ("recipe: {steps: '12'}", ["recipe.steps: must be a whole number"]),
        ("recipe: {lr: 1e999}", ["recipe.lr: must be a finite number"]),
        ("intent: fly", ["intent: must be one of", "'plan'", "'fly' was given"]),
        ("model: llama", ["model: must be a mapping with the keys name, params_b, path"]),
        ("data: {}", ["data.train: is required"]),
        ("paths: logs", ["paths: must be a list"]),
        ("recipe: {steps: 5, warmup_steps: 9}", ["warmup_steps (9) must be below steps (5)"]),
        ("hardware: {gpus: 99999999999}", ["hardware.gpus: must be 1000000 or less"]),
        ("- run", ["a request is a mapping of keys", "it holds a list"]),
        ("", ["it holds nothing"]),
        ('paths: ["a\\0b"]', ["paths[0]: not a usable path"]),
        ("model: {path: ''}", ["model.path: not a usable path"]),
        ("model: {path: '~nobody-has-this-name/x'}", ["model.path", "home folder that does not exist"]),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(tmp_path: Path, content: str, parts: list[str]) -> None:
    message = refused(tmp_path, content)
    for part in parts:
        assert part in message


def test_several_problems_are_one_message(tmp_path: Path) -> None:
    message = refused(tmp_path, "recipe: {steps: 0, stps: 3}\nintent: x")
    assert "recipe.steps" in message
    assert "recipe.stps" in message
    assert "intent" in message


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("text: a\ntext: b", "the key 'text' is given twice"),
        ("recipe: {steps: 1, steps: 2}", "the key 'steps' is given twice"),
        ("a: &x [1, 2]\nb: *x", "anchors and aliases"),
        ("a: *x", "anchors and aliases"),
        ("<<: {text: a}", "<<: unknown key"),
        ("!!python/object/apply:os.system ['true']", "the tag"),
        ("text: !!binary aGk=", "the tag"),
        ("a: " + "[" * 5000, "nested more than"),
        ("{a: " * 3000, "nested more than"),
        ("- " * 300_000, "nested more than"),
        ("a: [" + "1," * 400_000, "more than 10000 values"),
        ("? [a]\n: b", "a key must be a word"),
        ("a: b: c", "not valid YAML"),
        ("text: 'open", "not valid YAML"),
        ("---\ntext: a\n---\ntext: b", "not valid YAML"),
        ("text: \x01", "control characters"),
        ("recipe: {steps: 1" + "0" * 5000 + "}", "a number is too long"),
    ],
)
def test_hostile_yaml_is_refused_at_once(tmp_path: Path, content: str, part: str) -> None:
    started = time.monotonic()
    assert part in refused(tmp_path, content)
    # Seconds; a megabyte of brackets takes a fifth of one.
    assert time.monotonic() - started < 20


def test_an_alias_bomb_builds_nothing(tmp_path: Path) -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    assert "anchors and aliases" in refused(tmp_path, bomb)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ('{"text": "a", "text": "b"}', "given twice"),
        ('{"recipe": {"lr": NaN}}', "NaN"),
        ("[" * 3000, "nested more than"),
        ('{"text": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["', "not valid JSON"),
        ('"' + '\\"' * 400_000, "not valid JSON"),
        ('{"text": "\\ud800"}', "lone surrogate"),
        ('{"recipe": {"steps": 1' + "0" * 5000 + "}}", "a number is too long"),
    ],
)
def test_hostile_json_is_refused(tmp_path: Path, content: str, part: str) -> None:
    assert part in refused(tmp_path, content, "request.json")


def test_brackets_inside_text_are_no_nesting(tmp_path: Path) -> None:
    text = "[" * 100 + '"\\'
    assert read_request(write(tmp_path, json.dumps({"text": text}), "request.json")).text == text


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x89PNG\r\n\x1a\n\x00", b"text: \xe9"])
def test_binary_content_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "UTF-8" in refused(tmp_path, content)


def test_nul_bytes_are_refused(tmp_path: Path) -> None:
    assert "binary" in refused(tmp_path, b"text: a\x00b")


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    assert read_request(write(tmp_path, b"\xef\xbb\xbftext: a")).text == "a"


def test_an_oversized_file_is_refused(tmp_path: Path) -> None:
    assert "1 MiB" in refused(tmp_path, b"#" * (MAX_BYTES + 1))


def test_a_missing_file_a_folder_and_a_device_are_no_request_files(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="No such file"):
        read_request(tmp_path / "none.yaml")
    with pytest.raises(FileUnreadable, match="not a regular file"):
        read_request(tmp_path)
    with pytest.raises(FileUnreadable, match="not a regular file"):
        read_request("/dev/zero")
    with pytest.raises(FileUnreadable, match="not a usable file name"):
        read_request("a\0b")


def test_a_pipe_in_the_place_of_a_file_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(FileUnreadable, match="not a regular file"):
        read_request(tmp_path / "pipe.yaml")


def test_plain_data_is_parsed_as_a_file_is() -> None:
    assert parse_request({"intent": "plan"}) == Request(intent="plan")
    with pytest.raises(RequestInvalid, match="it holds a str"):
        parse_request("plan")


def test_plain_data_is_not_changed() -> None:
    body = {"torch": "2.6", "script": {"path": "a.py", "args": ["--x"]}}
    before = json.dumps(body)
    parse_request(body, base=Path("/base"))
    assert json.dumps(body) == before


@pytest.mark.parametrize("gpus", [-8, -1])
def test_fewer_gpus_than_none_are_told_what_is_allowed(gpus: int) -> None:
    with pytest.raises(RequestInvalid, match=r"hardware\.gpus: must be 1 or more; leave it out, or 0"):
        parse_request({"hardware": {"gpus": gpus}})
