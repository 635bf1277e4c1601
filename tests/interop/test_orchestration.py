"""The orchestration page with the real Hermes and with the workflows' own expressions: whole turns, whole workflows."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from interfaces.doors.small import as_text
from tests.conversations import Exchange, exchanges, filled
from tests.flows.conftest import make_bench
from tests.flows.servers import Served, served
from tests.interop.hermes_desk import NEEDS_HERMES, Desk, answers, turn
from tests.interop.n8n_server import WEBHOOKS, replay
from tests.tours import matches

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]


def hermes(function: Any) -> Any:
    for mark in NEEDS_HERMES:
        function = mark(function)
    return function


@hermes
@pytest.mark.parametrize("each", exchanges("hermes"), ids=lambda each: f"{each.title[:24]}: {each.of('user')[0][:24]}")
def test_a_conversation(desk: Desk, each: Exchange) -> None:
    steps = [{"tool": f"mcp__fsdp__{tool}", "args": filled(given, desk.bench)} for tool, given in each.calls]
    [user], [says] = each.of("user"), each.of("says")
    script = turn(desk, *steps, {"text": says}, said=user)
    assert user in str(script.seen[0]["messages"][-1]["content"])
    told = answers(script)
    assert len(told) == len(each.of("answer"))
    for pattern, answer in zip(each.of("answer"), told, strict=True):
        assert matches(pattern, as_text(answer)), f"{pattern}\n{as_text(answer)}"
    assert says in script.printed.replace("\n", " ")
    assert desk.bench.starts == []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("orchestration")
    with served("plain", make_bench(folder), folder) as running:
        yield running


@pytest.mark.server
@pytest.mark.skipif(shutil.which("node") is None, reason="the expressions are JavaScript: needs node")
@pytest.mark.parametrize("each", exchanges("n8n"), ids=lambda each: f"{each.title[:24]}: {each.calls[0][1][:24]}")
def test_a_workflow(server: Served, each: Exchange) -> None:
    for (path, given), pattern in zip(each.calls, each.of("answer"), strict=True):
        file, start, answering = WEBHOOKS[path.removeprefix("/webhook/")]
        outputs = replay(server, file, start, filled(given, server.bench))
        assert matches(pattern, as_text(outputs[answering])), f"{pattern}\n{as_text(outputs[answering])}"
    assert server.bench.starts == []
