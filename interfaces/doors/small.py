"""Results that fit: every answer stays under 8,000 characters, and what was left out can be asked for.

A client with a language model behind it cuts what is longer, and a cut JSON text is worth
nothing. So the longest lists and texts of a result are shortened, `cut` names them, and
the same call with `part` and `offset` returns the rest, page by page.
"""

import json
from typing import Any

from contracts.errors import FsdpAgentError, InputError

LIMIT_CHARACTERS = 8000
"""Length of an answer as JSON text."""
_ROOM_CHARACTERS = 400
"""Kept free for the words about what was cut."""
_TEXT_KEPT_CHARACTERS = 300
_ERROR_CHARACTERS = 1500


def error_result(error: FsdpAgentError) -> dict[str, Any]:
    """Return an error as a result that fits."""
    body = {name: text[:_ERROR_CHARACTERS] for name, text in error.as_json()["error"].items()}
    return {"ok": False, "error": body}


def as_text(result: dict[str, Any]) -> str:
    """Return the JSON text of a result."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"))


def fit(result: dict[str, Any], part: str | None = None, offset: int = 0) -> dict[str, Any]:
    """Return a result that fits, or one page of a part of it.

    Args:
        result: The whole result.
        part: Name of a field of it; None for an overview of all.
        offset: Entries of a list, or characters of a text, that were seen already.

    Raises:
        InputError: The result has no such field.
    """
    if part is None:
        return _overview(result)
    if part not in result:
        raise InputError(f"the result has no part {part!r}", hint=f"parts: {', '.join(result)}")
    value = result[part]
    if not isinstance(value, list | str):
        value = json.dumps(value, ensure_ascii=False, indent=1)
    taken = _taken(value, offset)
    page: dict[str, Any] = {"part": part, "offset": offset, "of": len(value), part: taken}
    if offset + len(taken) < len(value):
        page["next_offset"] = offset + len(taken)
    return page


def _overview(result: dict[str, Any]) -> dict[str, Any]:
    room = LIMIT_CHARACTERS - _ROOM_CHARACTERS
    shown = dict(result)
    cut: dict[str, Any] = {}
    while _size(shown) > room:
        name = max(shown, key=lambda key: _size(shown[key]))
        value, spare = shown[name], room - (_size(shown) - _size(shown[name]))
        if isinstance(value, list) and len(value) > 1:
            shown[name] = _first(value, max(spare, _size(value) // 2))
        elif isinstance(value, str) and len(value) > _TEXT_KEPT_CHARACTERS:
            shown[name] = value[: max(_TEXT_KEPT_CHARACTERS, len(value) // 2)]
        else:
            shown[name] = _shortened(value) if value != _shortened(value) else None
        whole = result[name] if isinstance(result[name], list | str) else json.dumps(result[name], ensure_ascii=False)
        kept = shown[name]
        cut[name] = {"shown": len(kept) if type(kept) is type(result[name]) and kept else 0, "of": len(whole)}
    return shown | {"cut": cut, "more": "call again with part=NAME and offset=SHOWN"} if cut else shown


def _first(entries: list[Any], room: int) -> list[Any]:
    taken: list[Any] = []
    for entry in entries[:-1]:
        if _size([*taken, entry]) > room:
            break
        taken.append(entry)
    return taken or [_shortened(entries[0])]


def _taken(value: list[Any] | str, offset: int) -> list[Any] | str:
    room = LIMIT_CHARACTERS - _ROOM_CHARACTERS
    rest = value[offset:]
    if isinstance(rest, str):
        while _size(rest) > room:
            rest = rest[: min(len(rest) - 1, room, len(rest) * room // _size(rest))]
        return rest
    taken: list[Any] = []
    for entry in rest:
        if _size([*taken, entry]) > room:
            break
        taken.append(entry)
    if not taken and rest:
        taken = [_shortened(rest[0])]
    return taken


def _shortened(value: Any) -> Any:
    """Return a value with its texts cut to a few lines and its lists to a few entries."""
    if isinstance(value, str) and len(value) > _TEXT_KEPT_CHARACTERS:
        return f"{value[:_TEXT_KEPT_CHARACTERS]}... ({len(value)} characters)"
    if isinstance(value, list):
        return [_shortened(entry) for entry in value[:5]]
    if isinstance(value, dict):
        return {name: _shortened(entry) for name, entry in list(value.items())[:40]}
    return value


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
