"""What a person said last: shared by the nodes that listen."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import HumanMessage


def last_words(state: Mapping[str, Any]) -> str:
    """Return the text of the last message if a person wrote it, else nothing."""
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    return str(last.text).strip() if isinstance(last, HumanMessage) else ""


def has_new_input(state: Mapping[str, Any]) -> bool:
    """Tell whether a request or a message came in that no node has taken up."""
    return state.get("request") is not None or bool(last_words(state))
