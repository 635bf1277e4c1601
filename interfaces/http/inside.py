"""What langgraph.json names as the server's own application: the same routes, inside the LangGraph server."""

from typing import Any

from contracts.run import RunRecord
from contracts.settings import Settings
from interfaces.http.app import make_app
from interfaces.http.job_done import go_on_here
from interfaces.service_jobs import THREAD_ID

_GRAPH = "fsdp"
_settings = Settings()


async def go_on(thread_id: str, record: RunRecord) -> str | None:
    """Let a thread go on in the way that it was begun: by the server's own queue where it knows it.

    Args:
        thread_id: The thread; one of the server's own has a UUID.
        record: The run, which has ended.
    """
    from langgraph_sdk import get_client

    if THREAD_ID.fullmatch(thread_id):
        return await go_on_here(_settings)(thread_id, record)
    client = get_client()  # in process: it needs no token, and the route has looked at the signature
    state: Any = await client.threads.get_state(thread_id)
    for asked in state.get("interrupts") or ():
        if isinstance(asked.get("value"), dict) and asked["value"].get("run_id") == record.run_id:
            answer: Any = {"resume": {asked["id"]: {"state": record.state}}}
            await client.runs.create(thread_id, _GRAPH, command=answer, multitask_strategy="enqueue")
            return "running"
    return (state.get("values") or {}).get("phase")


app = make_app(_settings, go_on=go_on)
"""Its gate is the outermost middleware, so it stands before the server's own routes too."""
