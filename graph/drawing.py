"""docs/graph.md, written from the graph itself: `python -m graph.drawing > docs/graph.md`."""

from typing import get_args

from graph.build import graph
from graph.state import Input, Output, Phase

_HEAD = """# The graph

Written by `python -m graph.drawing`; a test compares this page with the graph.

A thread starts with a structured request, a chat message, or both. What waits for a
person (`approve`) or for a run (`watch`) holds no worker: it is an interrupt. New input
on a thread that waits does not orphan it: the first route goes by `phase`.
"""

_APPROVAL = """## Interrupts

| `kind` | from | what it carries | what it is resumed with |
| --- | --- | --- | --- |
| `approval` | `approve` | `launch_hash`, `launch`, `summary`, `notice`, `warnings`, `amendment` (what was changed \
after a run that failed, and why; null at first), and the human-in-the-loop \
shape (`action_requests`, `review_configs`) | a sealed Approval record; on the server \
`{"decisions": [{"type": "approve", "launch_hash": "..."}]}` or `"reject"` from a caller who sends \
the approver's secret |
| `job` | `watch` | `run_id`, `state` | anything: it is a hint, and the run folder is read again |

Whatever is no decision by an approver on this very launch leaves the thread waiting, with
the reason in `notice`. Input `{"request": null}` on a thread
whose run has ended looks at the run again, as after `jobs resume`.

## Approving on the server

A decision names its launch. Otherwise it would be about whatever the thread asks when it
arrives, which need not be what the person read.

- From Studio, or wherever the answer is typed: copy `launch_hash` out of the question and
  answer `{"decisions": [{"type": "approve", "launch_hash": "..."}]}`. The approver's secret
  goes with it as the header `x-fsdp-approver`.
- From a program: answer by interrupt id, `{"<interrupt id>": {"decisions": [{"type":
  "approve"}]}}`. An id belongs to one question, so the hash may be left out; an id that is
  no longer pending is refused.
- A bare `{"decisions": [{"type": "approve"}]}`, as the buttons of chat windows send it, is
  answered "name the launch" (422), and nothing starts.

Only an approver may delete or prune threads and their runs.
"""


def page() -> str:
    """Return docs/graph.md."""
    drawn = graph.get_graph()
    nodes = [(name, (node.metadata or {}).get("description", "")) for name, node in drawn.nodes.items()]
    lines = [_HEAD, "```mermaid", drawn.draw_mermaid().strip(), "```", "", "## Nodes", ""]
    lines += ["| node | what it does |", "| --- | --- |"]
    lines += [f"| `{name}` | {text} |" for name, text in nodes if text]
    lines += ["", "## Keys", "", f"- in: {_keys(Input)}", f"- out: {_keys(Output)}"]
    lines += [f"- `phase`: {', '.join(f'`{phase}`' for phase in get_args(Phase))}", "", _APPROVAL]
    return "\n".join(lines).rstrip() + "\n"


def _keys(schema: type) -> str:
    return ", ".join(f"`{key}`" for key in schema.__annotations__)


if __name__ == "__main__":
    print(page(), end="")
