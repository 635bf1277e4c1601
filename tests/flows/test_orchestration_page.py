"""Every tool call of the orchestration page, made by a real MCP client: the answer is what the page shows.

The whole conversations with the real Hermes, and the workflows, are in tests/interop.
"""

from typing import Any

import pytest
from mcp import ClientSession

from interfaces.doors.small import as_text
from interfaces.mcp.tools import TOOLS
from tests.conversations import exchanges, filled
from tests.flows.test_mcp import over_stdio, use
from tests.tours import matches

USES = {
    "A fine-tuning plan is judged": "fsdp_plan",
    "A job has failed": "fsdp_diagnose",
    "Code is reviewed": "fsdp_review",
    "Research on training, without being its runtime": "fsdp_ask",
}
"""What the specialist is for, and the first tool that an agent takes."""
REFUSALS = {
    "Ordinary agent work": "out_of_scope",
    "n8n workflows": "out_of_scope",
    "Inference and routing alone": "out_of_scope",
    "Choice of a provider": "out_of_scope",
    "Use of hosted models": "out_of_scope",
    "Wait": "wait",
    "FSDP is not needed": "not_needed",
}
"""What is sent back, and with which verdict."""


@pytest.mark.parametrize("door", ["hermes", "n8n"])
def test_every_use_and_every_refusal_has_its_example(door: str) -> None:
    shown = exchanges(door)
    assert {each.title for each in shown} == set(USES) | set(REFUSALS)
    for each in shown:
        assert len(each.calls) == len(each.of("answer")), each
        if verdict := REFUSALS.get(each.title):
            assert all(f'"verdict":"{verdict}"' in answer for answer in each.of("answer")), each
        if door == "hermes":
            assert {tool for tool, _ in each.calls} <= set(TOOLS)
            assert each.calls[0][0] == USES.get(each.title, "fsdp_assess")


@pytest.mark.server
@pytest.mark.timeout(300)
def test_every_tool_answers_what_the_page_shows(bench: Any) -> None:
    shown = [pair for each in exchanges("hermes") for pair in zip(each.calls, each.of("answer"), strict=True)]
    answers: list[str] = []

    async def talk(session: ClientSession) -> None:
        for (tool, argument), _ in shown:
            answers.append(as_text(await use(session, tool, **filled(argument, bench))))

    over_stdio(bench, talk)
    for ((tool, argument), pattern), answer in zip(shown, answers, strict=True):
        assert matches(pattern, answer), f"{tool} {argument} answered:\n{answer}"
    assert bench.starts == [], "research is no training"
