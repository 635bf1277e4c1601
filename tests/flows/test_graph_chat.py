"""Free text in `messages`, questions back and forth, and requests that cannot be used."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from contracts.settings import Settings


def test_a_plan_in_free_text(thread: Any) -> None:
    out = thread.say("Full fine-tune of Llama-3-8B, sequence length 8192, on 8 H100 80GB. Does it fit?")
    assert out["phase"] == "done"
    assert out["need"]["verdict"] == "use_fsdp"
    assert out["plan"]["world_size"] == 8
    assert out["plan"]["recipe"]["seq_len"] == 8192
    assert out["plan"]["launch"] is None
    assert isinstance(out["messages"][-1], AIMessage)
    text = Path(out["report"]["path"]).read_text()
    assert "bytes" in text
    assert "Predicted memory per rank" in text


def test_an_answer_in_danish_to_a_danish_text(thread: Any) -> None:
    out = thread.say("Jeg vil finetune Llama-3-8B fuldt ud på 8 H100 med sekvenslængde 4096. Kan det være der?")
    assert out["need"]["language"] == "da"
    assert "Planen er klar" in thread.last_words
    assert "## Beslutninger" in Path(out["report"]["path"]).read_text()


@pytest.mark.parametrize(
    "text",
    [
        "My n8n workflow sends the same email twice, how do I fix the merge node?",
        "Which is cheaper for chatting, the OpenAI API or the Anthropic API?",
    ],
)
def test_what_is_out_of_scope_is_not_advised(thread: Any, text: str) -> None:
    out = thread.say(text)
    assert out["phase"] == "not_advised"
    assert out["need"]["verdict"] == "out_of_scope"
    assert out["plan"] is None
    assert out["report"]["path"] is None
    assert thread.last_words


def test_a_question_is_answered_or_not_covered(thread: Any) -> None:
    out = thread.say("Does FSDP2 need ShardedGradScaler for fp16?")
    assert out["need"]["intent"] == "ask"
    assert out["phase"] == "done"
    assert out["answer"]["answer"] in thread.last_words
    assert out["answer"]["covered"] or "not covered" in out["answer"]["answer"]


def test_questions_are_asked_and_answers_add_to_what_was_asked(thread: Any, bench: Any) -> None:
    incomplete = {key: value for key, value in bench.request.items() if key != "data"}
    out = thread.give(request=incomplete)
    assert out["phase"] == "needs_input"
    missing = [gap["question"] for gap in out["need"]["missing"] if gap["assumed"] is None]
    assert missing
    assert all(question in thread.last_words for question in missing)
    thread.say("I have no data yet, what do you need?")
    assert thread.state["phase"] == "needs_input"
    assert thread.state["asked"]["model"] == incomplete["model"]
    out = thread.give(request=bench.request)
    assert out["phase"] == "awaiting_approval"


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        ({"colour": "red"}, "request_invalid", "colour"),
        ({"recipe": {"steps": -1}}, "request_invalid", "recipe.steps"),
        ({"model": {"path": "/nowhere/model"}}, "file_unreadable", "/nowhere/model"),
        ({"model": {"path": "/nowhere/\0"}}, "request_invalid", "model.path"),
        ({"data": {"train": "/nowhere/train.jsonl"}}, "file_unreadable", "/nowhere/train.jsonl"),
        ({"hardware": {"device": "cpu", "ranks": 3}, "recipe": {"dp_replicate": 2}}, "request_invalid", "3"),
    ],
    ids=["unknown key", "negative", "no model", "NUL", "no data", "mesh"],
)
def test_a_bad_request_ends_with_one_sentence(thread: Any, bench: Any, change: dict, code: str, named: str) -> None:
    out = thread.give(request=bench.request | change)
    assert out["phase"] == "failed"
    assert out["error"]["code"] == code
    assert named in out["error"]["message"]
    assert out["error"]["message"] in thread.last_words
    assert not bench.home.plans.exists() or not list(bench.home.plans.iterdir())
    # the thread is not spoilt: the next request is judged by itself
    assert thread.give(request=bench.request)["phase"] == "awaiting_approval"


def test_a_broken_data_line_is_named(thread: Any, bench: Any) -> None:
    with (bench.folder / "train.jsonl").open("a") as stream:
        stream.write("{broken\n")
    out = thread.give(request=bench.request)
    assert out["phase"] == "failed"
    assert "train.jsonl:9" in out["error"]["message"]


def test_more_ranks_than_cores_is_a_warning_that_the_approver_sees(thread: Any, bench: Any) -> None:
    thread.give(request=bench.request | {"hardware": {"device": "cpu", "ranks": 512}})
    assert thread.state["phase"] == "awaiting_approval"
    assert any("512 ranks" in warning for warning in thread.question["warnings"])


def test_a_home_that_cannot_be_written_is_one_error(thread: Any, bench: Any) -> None:
    bench.home.root.parent.joinpath("home").write_text("a file, not a folder")
    out = thread.give(request=bench.request)
    assert out["phase"] == "failed"
    assert out["error"]["code"] == "run_folder_unwritable"


def test_an_error_in_the_users_script_blocks_the_launch(thread: Any, bench: Any) -> None:
    script = bench.folder / "train.py"
    script.write_text(
        "import torch\n"
        "from torch.distributed.fsdp import fully_shard\n"
        "model = build()\n"
        "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)\n"
        "fully_shard(model)\n"
    )
    out = thread.give(request=bench.request | {"script": {"path": str(script)}})
    assert out["phase"] == "failed"
    assert out["error"]["code"] == "review_errors"
    assert "FSDP001" in out["error"]["message"]
    assert any(finding["rule"] == "FSDP001" and finding["line"] in (4, 5) for finding in out["findings"])
    assert thread.pending == []


def test_a_review_lists_what_it_found(thread: Any, bench: Any) -> None:
    script = bench.folder / "train.py"
    script.write_text("from torch.distributed.fsdp import fully_shard\nmodel = build()\nfully_shard(model)\n")
    out = thread.give(request={"intent": "review", "paths": [str(script)]})
    assert out["phase"] == "done"
    assert out["plan"] is None
    assert "errors" in thread.last_words


def test_a_diagnosis_says_what_it_does_not_know(thread: Any) -> None:
    out = thread.give(request={"intent": "diagnose", "text": "rank 3 hangs in all-gather"})
    assert out["diagnosis"]["verdict"] == "unknown"
    assert out["diagnosis"]["needed"]


def test_a_plan_without_its_model_is_asked_for(thread: Any) -> None:
    out = thread.say("Full fine-tune of a 70B model, seq 4096, on 16 H100 80GB (2 nodes)")
    assert out["phase"] == "needs_input"
    assert out["error"]["code"] in ("model_missing", "model_unknown")
    assert "lacks" in thread.last_words
    out = thread.say("It is Llama-3-70B")
    assert out["phase"] == "done"
    assert out["plan"]["world_size"] == 16
    assert out["plan"]["recipe"]["seq_len"] == 4096


def test_nothing_at_all_is_asked(thread: Any) -> None:
    out = thread.give(request=None)
    assert out["error"]["code"] == "nothing_asked"


def test_without_a_checkpointer_a_question_is_still_answered(bench: Any) -> None:
    from graph.build import graph

    out = graph.invoke(
        {"messages": [("user", "Does FSDP2 need ShardedGradScaler for fp16?")]},
        context=Settings(home=str(bench.home.root)),
    )
    assert out["phase"] == "done"
