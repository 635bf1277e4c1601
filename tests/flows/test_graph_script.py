"""A script of the user's own through the graph: no model is named, the review is shown, a person decides."""

import sys
from typing import Any

import pytest

GOOD = (
    "import helper\n"
    "import fsdp_heartbeat\n"
    "for step in range(1, 4):\n"
    "    fsdp_heartbeat.beat(step, loss=helper.loss(step))\n"
    "print('trained')\n"
)
WARNED = GOOD + (
    "from torch.distributed.fsdp import FullyShardedDataParallel\n"
    "def later(model):\n"
    "    return FullyShardedDataParallel(model)\n"
)
WRONG = (
    "import torch\n"
    "from torch.distributed.fsdp import fully_shard\n"
    "def shard(model):\n"
    "    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)\n"
    "    fully_shard(model)\n"
    "    return optimizer\n"
)


def ask(bench: Any, body: str, **more: Any) -> dict[str, Any]:
    (bench.folder / "helper.py").write_text("def loss(step):\n    return 1 / step\n")
    script = bench.folder / "own.py"
    script.write_text(body)
    return {
        "intent": "run",
        "script": {"path": str(script), "launcher": "direct"},
        "hardware": {"device": "cpu"},
        "interpreter": sys.executable,
        **more,
    }


def test_from_the_request_to_the_report(thread: Any, bench: Any) -> None:
    thread.give(request=ask(bench, GOOD))
    assert thread.state["phase"] == "awaiting_approval"
    question = thread.question
    assert question["summary"].startswith("Start your script on 1 cpu ranks.")
    assert question["launch"]["kind"] == "script"
    assert {entry["path"] for entry in question["launch"]["inputs"]} >= {
        str(bench.folder / "own.py"),
        str(bench.folder / "helper.py"),
    }
    assert question["findings"] == []
    assert "The review found nothing." in question["action_requests"][0]["description"]
    thread.answer(bench.decision(question["launch_hash"]))
    run_id = thread.state["run_id"]
    assert bench.wait(run_id).state == "done"
    thread.answer({})
    assert thread.state["phase"] == "done"
    assert run_id in thread.last_words
    assert thread.state["report"]["loss_last"] == pytest.approx(1 / 3)


def test_what_the_review_found_is_shown_to_the_approver(thread: Any, bench: Any) -> None:
    thread.give(request=ask(bench, WARNED))
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    found = thread.question["findings"]
    assert found, "FSDP1 is deprecated: the review says so"
    assert all(finding["severity"] != "error" for finding in found)
    assert found[0]["message"] in thread.question["action_requests"][0]["description"]


@pytest.mark.parametrize("where", ["own.py", "helper.py"])
def test_an_error_in_the_script_or_in_what_it_imports_blocks_it(thread: Any, bench: Any, where: str) -> None:
    request = ask(bench, GOOD)
    (bench.folder / where).write_text(WRONG)
    if where == "helper.py":
        (bench.folder / "own.py").write_text("import helper\n")
    out = thread.give(request=request)
    assert (out["phase"], out["error"]["code"]) == ("failed", "review_errors")
    assert where in out["error"]["message"]
    assert thread.pending == []


def test_a_model_that_is_named_is_estimated_and_one_that_is_unknown_is_no_obstacle(thread: Any, bench: Any) -> None:
    thread.give(request=ask(bench, GOOD, model={"name": "Nobody-7B-of-ours"}))
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    assert thread.state["plan"]["memory"] is None


@pytest.mark.parametrize(
    ("more", "said"), [({}, "the review found an error"), ({"language": "da"}, "gennemgangen fandt en fejl")]
)
def test_what_blocks_a_script_is_told_in_the_language_of_the_request(
    thread: Any, bench: Any, more: dict[str, Any], said: str
) -> None:
    out = thread.give(request=ask(bench, WRONG, **more))
    assert out["error"]["message"].startswith(said)
    assert "ready" not in thread.last_words
    assert "klar" not in thread.last_words
