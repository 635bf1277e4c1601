"""What is wrong with a request, as one message that names the key and what is allowed."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from contracts.errors import RequestInvalid
from contracts.request import Request

MAX_SHOWN = 5
"""Problems that one message lists."""
MAX_VALUE_CHARS = 60
"""Characters of a wrong value that are quoted back."""

_EXPECTED: Mapping[str, str] = {
    "string_type": "must be text (put it in quotes)",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "finite_number": "must be a finite number",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be {le} or less",
    "string_too_long": "must be {max_length} characters or fewer",
    "literal_error": "must be one of {expected}",
}


def _model_at(path: Sequence[int | str]) -> type[BaseModel]:
    """The contract whose key the last part of `path` is."""
    model: type[BaseModel] = Request
    for part in path[:-1]:
        field = model.model_fields.get(str(part))
        kinds = [field.annotation, *get_args(field.annotation)] if field else []
        inner = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if not inner:
            break
        model = inner[0]
    return model


def _key(path: Sequence[int | str]) -> str:
    """`recipe.steps`, `paths[1]`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.lstrip(".") or "the request"


def _quoted(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_VALUE_CHARS else text[: MAX_VALUE_CHARS - 3] + "..."


def _nearest(model: type[BaseModel], word: str, value: Any) -> str | None:
    """The key that was meant: the one spelled most alike, or one that has all words of it and takes the value."""
    known, words = sorted(model.model_fields), set(word.split("_"))
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    near += [name for name in known if words <= set(name.split("_")) and name not in near]
    return next((name for name in near if _takes(model, name, value)), near[0] if near else None)


def _takes(model: type[BaseModel], name: str, value: Any) -> bool:
    kind: Any = model.model_fields[name].annotation
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


def _problem(error: ErrorDetails) -> str:
    path, kind = error["loc"], error["type"]
    if kind == "extra_forbidden":
        model = _model_at(path)
        near = _nearest(model, str(path[-1]).lower(), error["input"])
        ending = f"did you mean {near!r}?" if near else f"known keys here: {', '.join(sorted(model.model_fields))}"
        return f"{_key(path)}: unknown key; {ending}"
    if kind == "missing":
        return f"{_key(path)}: is required"
    if kind == "value_error":
        return f"{_key(path)}: {error['ctx']['error']}"
    if kind == "json_invalid":
        return "holds a character that is no Unicode text (a lone surrogate)"
    expected = _EXPECTED.get(kind, error["msg"])
    if kind == "greater_than_equal" and path[-1:] == ("gpus",):
        expected = "must be 1 or more; leave it out, or 0, where it is not known"
    if kind in ("model_type", "model_attributes_type"):
        inner = _model_at([*path, "key"])
        expected += f" with the keys {', '.join(sorted(inner.model_fields))}"
    return f"{_key(path)}: {expected.format(**error.get('ctx', {}))}; {_quoted(error['input'])} was given"


def request_invalid(error: ValidationError, where: str = "") -> RequestInvalid:
    """Say in one message what pydantic found.

    Args:
        error: The validation error of a Request.
        where: What was read, such as a file name, for the beginning of the message.

    Returns:
        The error to raise: each problem with its key path and what is allowed there.
    """
    problems = [_problem(detail) for detail in error.errors(include_url=False)]
    shown = "; ".join(problems[:MAX_SHOWN])
    if len(problems) > MAX_SHOWN:
        shown += f"; and {len(problems) - MAX_SHOWN} more"
    return RequestInvalid(f"{where}: {shown}" if where else shown)
