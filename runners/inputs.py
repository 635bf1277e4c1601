"""Checks of what a job will read, before anybody is asked to approve it."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from contracts.canonical import file_sha256
from contracts.errors import FileUnreadable, RequestInvalid
from contracts.launch import InputDigest, InputRole
from contracts.regular import open_regular, read_whole
from runners.verify import MODEL_SUFFIXES

_MAX_CONFIG_BYTES = 4 << 20
_MAX_LINE_BYTES = 16 << 20


def digest(role: InputRole, path: Path) -> InputDigest:
    """Return the digest of one file.

    Raises:
        FileUnreadable: It is missing or cannot be read.
    """
    if path.exists() and not path.is_file():
        raise FileUnreadable(f"{path} is not a regular file")
    try:
        return InputDigest(role=role, path=str(path), sha256=file_sha256(path), size_bytes=path.stat().st_size)
    except OSError as error:
        raise FileUnreadable(f"cannot read {path}: {error.strerror}") from error


def refuse_secrets(paths: Iterable[Path], secrets: Path) -> None:
    """Refuse a request that names one of the agent's own secrets as an input.

    Args:
        paths: What the request names.
        secrets: Folder of the secrets.

    Raises:
        RequestInvalid: A path leads into that folder, links followed.
    """
    kept = secrets.resolve()
    for path in paths:
        if path.resolve().is_relative_to(kept):
            raise RequestInvalid(f"{path} belongs to the agent's secrets and is no input of a job")


def model_files(folder: Path) -> list[Path]:
    """Return the files of a Hugging Face folder that the job reads, sorted by name.

    Raises:
        FileUnreadable: The folder, its config.json, its safetensors or its tokenizer is missing.
        RequestInvalid: config.json is not a JSON object with a `model_type`.
    """
    if not folder.is_dir():
        raise FileUnreadable(f"model folder not found: {folder}", hint="give a Hugging Face folder as model.path")
    _check_config(folder / "config.json")
    files = sorted(entry for entry in folder.iterdir() if entry.is_file() and entry.name.endswith(MODEL_SUFFIXES))
    if not any(entry.suffix == ".safetensors" for entry in files):
        raise FileUnreadable(
            f"no *.safetensors in {folder}",
            hint="pickled weights (*.bin, *.pt) are not read; convert them with save_pretrained",
        )
    if not any(entry.name in ("tokenizer.json", "tokenizer.model", "tokenizer_config.json") for entry in files):
        raise FileUnreadable(f"no tokenizer in {folder} (tokenizer.json or tokenizer.model)")
    return files


def count_examples(path: Path) -> int:
    """Read a JSONL data file through and return how many examples it has.

    Every line is an object with `text`, or with `prompt` and `response`, as strings; text
    and response are not empty. Blank lines are passed over. Memory is bounded by the longest line.

    Raises:
        FileUnreadable: The file is missing or cannot be read.
        RequestInvalid: A line breaks the form; the message names it. No example at all.
    """
    count = 0
    try:
        for number, line in _lines(path):
            _check_example(path, number, line)
            count += 1
    except OSError as error:
        raise FileUnreadable(f"cannot read data file {path}: {error.strerror}") from error
    if count == 0:
        raise RequestInvalid(f"no examples in {path}")
    return count


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with open_regular(path) as stream:
        number = 0
        while line := stream.readline(_MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > _MAX_LINE_BYTES:
                raise RequestInvalid(f"{path}:{number}: line is longer than {_MAX_LINE_BYTES >> 20} MiB")
            if line.strip():
                yield number, line


def _check_example(path: Path, number: int, line: bytes) -> None:
    where = f"{path}:{number}"
    try:
        example = json.loads(line.decode("utf-8"))
        json.dumps(example, ensure_ascii=False).encode("utf-8")  # fails on half a surrogate pair
    except (ValueError, RecursionError) as error:
        # its content is not told: a request may name any file, and its answer may travel far
        raise RequestInvalid(f"{where}: not a JSON line in UTF-8") from error
    if not isinstance(example, dict) or not _is_example(example):
        raise RequestInvalid(
            f'{where}: an example is {{"text": "..."}} or {{"prompt": "...", "response": "..."}}, '
            "with a text or response that is not empty"
        )


def _is_example(example: dict[str, Any]) -> bool:
    paired = "prompt" in example or "response" in example
    if ("text" in example) == paired:
        return False
    keys = ("prompt", "response") if paired else ("text",)
    return all(isinstance(example.get(key), str) for key in keys) and bool(example[keys[-1]])


def max_positions(folder: Path) -> int | None:
    """Return the longest sequence that a model's config.json admits, where it says so."""
    limit = json.loads(read_whole(folder / "config.json", _MAX_CONFIG_BYTES)).get("max_position_embeddings")
    return limit if isinstance(limit, int) and limit > 0 else None


def _check_config(path: Path) -> None:
    try:
        if path.stat().st_size > _MAX_CONFIG_BYTES:
            raise RequestInvalid(f"{path} is larger than {_MAX_CONFIG_BYTES >> 20} MiB; no config.json is")
        config: Any = json.loads(read_whole(path, _MAX_CONFIG_BYTES))
    except OSError as error:
        raise FileUnreadable(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, RequestInvalid):
            raise
        raise RequestInvalid(f"{path} is not JSON") from error
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise RequestInvalid(f"{path} has no model_type; is it a Hugging Face config.json?")
