"""Request files: YAML or JSON to a Request whose paths are absolute."""

import json
import os
import stat
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from contracts.errors import FileUnreadable, RequestInvalid
from contracts.request import Request, UserScript
from engines.intake.invalid import request_invalid
from engines.intake.yaml_reader import RawFloat, RawInt, read_json, read_yaml

MAX_BYTES = 1 << 20
"""Size of a request file: 1 MiB."""

_UPPER_BOUNDS = {
    ("hardware", "nodes"): 100_000,
    ("hardware", "gpus"): 1_000_000,
    ("hardware", "ranks"): 1_000_000,
    ("hardware", "cores"): 1_000_000,
    ("hardware", "gpu_mem_gb"): 10_000,
    ("model", "params_b"): 1_000_000,
    ("recipe", "seq_len"): 100_000_000,
    ("recipe", "micro_batch"): 1_000_000,
    ("recipe", "grad_accum"): 1_000_000,
    ("recipe", "steps"): 1_000_000_000,
}
"""Values beyond these are slips of the keyboard, in the units of the contracts."""


def _read_bytes(path: Path) -> bytes:
    """At most MAX_BYTES of a regular file."""
    try:
        # O_NONBLOCK: a FIFO in the file's place must not hang the caller.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except ValueError:
        raise FileUnreadable(f"not a usable file name: {str(path)!r}") from None
    except OSError as failed:
        raise FileUnreadable(f"cannot read the request file {path}: {failed.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileUnreadable(f"{path} is not a regular file; give a YAML or JSON request file")
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise RequestInvalid(f"{path} is larger than {MAX_BYTES} bytes (1 MiB); a request names data, it holds none")
    return content


def _decode(content: bytes, path: Path) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        raise RequestInvalid(f"{path} is not UTF-8 text (byte {broken.start}); save it as UTF-8") from None
    if "\0" in text:
        raise RequestInvalid(f"{path} is a binary file, not a YAML or JSON request")
    return text


def _numbers_as_text(data: dict[str, Any]) -> None:
    """Give text back its spelling where an unquoted number is meant as text (2.10, --lr 1e-4)."""

    def text(value: Any) -> Any:
        return value.raw if isinstance(value, RawInt | RawFloat) else value

    if "torch" in data:
        data["torch"] = text(data["torch"])
    script = data.get("script")
    for key in ("args", "launcher_args"):
        if isinstance(script, dict) and isinstance(script.get(key), list):
            script[key] = [text(value) for value in script[key]]


def _check_bounds(data: dict[str, Any]) -> None:
    for (group, key), bound in _UPPER_BOUNDS.items():
        value = data[group].get(key) if isinstance(data.get(group), dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and value > bound:
            raise RequestInvalid(f"{group}.{key}: must be {bound} or less; {str(value)[:40]} was given")


def _absolute(value: str, base: Path, key: str) -> str:
    if any(ord(letter) < 32 for letter in value) or not value.strip():
        raise RequestInvalid(f"{key}: not a usable path: {value[:60]!r}")
    try:
        return str(base / Path(value).expanduser())
    except RuntimeError:
        raise RequestInvalid(f"{key}: {value[:60]!r} names a home folder that does not exist") from None


def _resolved_script(script: UserScript, base: Path) -> UserScript:
    """Make the paths absolute; arguments are as the script reads them, from its working folder."""
    changed: dict[str, Any] = {}
    for key in ("path", "workdir"):
        value = getattr(script, key)
        if value is not None:
            changed[key] = _absolute(value, base, f"script.{key}")
    if script.inputs:
        named = enumerate(script.inputs)
        changed["inputs"] = tuple(_absolute(path, base, f"script.inputs[{index}]") for index, path in named)
    return script.model_copy(update=changed)


def _resolve(request: Request, base: Path) -> Request:
    """Make the paths absolute; a bare interpreter name stays for the search path."""
    changed: dict[str, Any] = {}
    if request.model and request.model.path is not None:
        path = _absolute(request.model.path, base, "model.path")
        changed["model"] = request.model.model_copy(update={"path": path})
    if request.data:
        files = {"train": _absolute(request.data.train, base, "data.train")}
        if request.data.eval is not None:
            files["eval"] = _absolute(request.data.eval, base, "data.eval")
        changed["data"] = request.data.model_copy(update=files)
    if request.script:
        changed["script"] = _resolved_script(request.script, base)
    if request.paths:
        named = enumerate(request.paths)
        changed["paths"] = tuple(
            path if path == "-" else _absolute(path, base, f"paths[{index}]") for index, path in named
        )
    if request.interpreter is not None and os.sep in request.interpreter:
        changed["interpreter"] = _absolute(request.interpreter, base, "interpreter")
    return request.model_copy(update=changed)


def parse_request(data: Any, base: Path | None = None, where: str = "") -> Request:
    """Turn plain data, as a program or a reader gives it, into a Request.

    Args:
        data: The keys of a Request.
        base: Folder against which relative paths are resolved; None leaves them as they are.
        where: What was read, for the beginning of an error message.

    Returns:
        The request. Fields that were not given stay unset (`model_fields_set`).

    Raises:
        RequestInvalid: An unknown key, a wrong type, a value out of range; the message has
            the key path and what is allowed.
    """
    if not isinstance(data, dict):
        given = "nothing" if data is None else f"a {type(data).__name__}"
        start = f"{where}: " if where else ""
        keys = ", ".join(Request.model_fields)
        raise RequestInvalid(f"{start}a request is a mapping of keys ({keys}); it holds {given}")
    try:
        _numbers_as_text(data)
        _check_bounds(data)
        request = Request.model_validate_json(json.dumps(data), strict=True)
        return _resolve(request, base) if base is not None else request
    except ValidationError as error:
        raise request_invalid(error, where) from None
    except RequestInvalid as error:
        raise RequestInvalid(f"{where}: {error.message}" if where else error.message) from None


def read_request(path: str | Path) -> Request:
    """Read a request file.

    Args:
        path: A `.json` file, or YAML under any other name; 1 MiB at most, UTF-8.

    Returns:
        The request, with `model.path`, `data.*`, `script.path`, `paths` and `interpreter`
        resolved against the file's folder.

    Raises:
        FileUnreadable: The path is missing, unreadable or no regular file.
        RequestInvalid: The content is no request; the message has the place, the value and
            what is allowed.
    """
    path = Path(path)
    text = _decode(_read_bytes(path), path)
    try:
        data = read_json(text) if path.suffix.lower() == ".json" else read_yaml(text)
    except RequestInvalid as error:
        raise RequestInvalid(f"{path}: {error.message}", code=error.code) from None
    return parse_request(data, base=path.absolute().parent, where=str(path))
