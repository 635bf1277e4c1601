"""What counts as something new from a person."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from nodes.conversation import has_new_input, last_words


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({}, ""),
        ({"messages": []}, ""),
        ({"messages": [HumanMessage(" hi ")]}, "hi"),
        (
            {"messages": [HumanMessage([{"type": "text", "text": "hej"}, {"type": "image_url", "image_url": "x"}])]},
            "hej",
        ),
        ({"messages": [HumanMessage("hi"), AIMessage("hello")]}, ""),
        ({"messages": [AIMessage("hello"), HumanMessage("  ")]}, ""),
    ],
)
def test_the_last_words_are_a_persons(state: dict, words: str) -> None:
    assert last_words(state) == words
    assert has_new_input(state) is bool(words)


def test_a_request_is_new_until_it_is_taken() -> None:
    assert has_new_input({"request": {}})
    assert not has_new_input({"request": None})
