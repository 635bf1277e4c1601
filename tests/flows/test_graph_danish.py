"""A Danish thread through the graph: its plan, its approval, its trials, its study and its report are in Danish.

Left out are what no translation may touch: commands, paths, the claims of the cards (which are
in English, and are said to be), and what a program wrote of itself.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.danish import english_texts, english_words, texts_of
from tests.flows.test_graph_study import TRIALS, speeds

CODES = {
    "launch", "command", "claim", "citations", "messages", "path", "pictures", "artifacts", "run", "asked",
    "question", "cards", "approval", "launch_hash", "findings",
}  # fmt: skip


@pytest.fixture
def asked(bench: Any) -> dict[str, Any]:
    python = bench.folder / "bin" / "python"
    python.write_text(TRIALS.replace("{python}", sys.executable))
    kept = {name: bench.request[name] for name in ("model", "data", "interpreter")}
    return kept | {"language": "da", "hardware": {"device": "cpu", "ranks": 2}, "recipe": {"seq_len": 16}}


def told(out: dict[str, Any]) -> dict[str, str]:
    """Return the English texts of a thread's state; a claim of a card is a card's."""
    study = out.get("study")
    if study:
        parts = [part for part in study["parts"] if part["kind"] != "claim"]
        out = out | {"study": study | {"parts": parts}}
    return english_texts(out, CODES)


def reported(out: dict[str, Any]) -> list[str]:
    """Return the lines of the report with English in them; commands and quotations of cards left out."""
    text, quoted = Path(out["report"]["path"]).read_text(), False
    lines = []
    for line in text.splitlines():
        quoted ^= line.startswith("```")
        from_card = line.startswith("- `c") or "<http" in line
        if not quoted and not from_card and english_words(line):
            lines.append(line)
    return lines


def test_trials_and_the_plan_of_the_winner(thread: Any, bench: Any, asked: dict[str, Any]) -> None:
    speeds(bench, [100.0, 70.0, None])
    thread.give(
        request=asked | {"intent": "plan", "trials": 3, "store_calibration": True, "text": "Prøv tre på CPU'en"}
    )
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    question = thread.question
    assert question["summary"].startswith("Kør 3 forsøg")
    assert english_texts(question, CODES) == {}
    thread.answer(bench.decision(question["launch_hash"]))
    bench.wait(thread.question["run_id"])
    out = thread.answer({"state": "done"})
    assert (out["phase"], out["trials"]["winner"]) == ("done", "chosen")
    assert out["trials"]["because"].startswith("chosen: 100 tokens/s pr. rank målt over 8 trin")
    assert out["plan"]["decisions"][0]["choice"] == "forsøg: chosen"
    assert told(out) == {}
    assert reported(out) == []
    assert len(list(texts_of(out, CODES))) > 20  # there was something to look at


def test_a_study_with_trials(thread: Any, bench: Any, asked: dict[str, Any]) -> None:
    speeds(bench, [100.0, 70.0, 98.0, 72.0])
    thread.give(request=asked | {"study": True, "text": "Er fuld sharding eller ZeRO-2 hurtigst her? Mål det."})
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    assert english_texts(thread.question, CODES) == {}
    assert told(thread.state) == {}
    thread.answer(bench.decision(thread.question["launch_hash"]))
    bench.wait(thread.question["run_id"])
    out = thread.answer({"state": "done"})
    assert out["phase"] == "done"
    assert told(out) == {}
    assert reported(out) == []


@pytest.mark.parametrize(
    "text",
    [
        "HSDP eller fuld sharding til vores Llama-3-70B på 4 noder med 8 H100 over RoCE, og hvad ændrer 128k kontekst?",
        "LoRA eller fuld finetuning af Llama-3-8B på 2 RTX 4090, og hvad koster 100 mio. tokens ved 0,5 dollar?",
        "Hvor mange A100 40GB skal der til for at træne Llama-3-8B med 8192 tokens?",
        "Er activation checkpointing eller CPU offload bedst til Qwen2.5-14B på 4 A100 80GB?",
    ],
)
def test_a_study_on_paper(thread: Any, text: str) -> None:
    thread.give(request={"text": text, "study": True, "dry_runs": False})
    out = thread.state
    assert out["phase"] == "done", out.get("error")
    assert out["study"]["language"] == "da"
    assert told(out) == {}
    assert reported(out) == []


@pytest.mark.parametrize("text", ["Skal vi bruge HSDP eller fuld sharding?", "Sammenlign fuld sharding på 8 H100, tak"])
def test_what_a_study_lacks_is_asked_for_in_danish(thread: Any, text: str) -> None:
    thread.give(request={"text": text, "study": True, "language": "da"})
    assert thread.state["phase"] in ("needs_input", "not_advised")
    assert told(thread.state) == {}


@pytest.mark.parametrize("name", ["Nobody-70X", "our/own-model"])
def test_a_model_that_is_not_known_is_named_with_those_that_are(thread: Any, name: str) -> None:
    thread.give(request={"intent": "run", "model": {"name": name}, "text": "Træn den på 8 H100 80GB"})
    assert thread.state["phase"] == "needs_input"
    assert thread.state["error"]["code"] == "model_unknown"
    assert repr(name) in thread.state["error"]["message"]
    assert "Qwen" in thread.state["error"]["hint"]


def test_what_a_study_lacks_is_named_by_the_fields_of_a_request(thread: Any) -> None:
    thread.give(request={"text": "HSDP or full sharding?", "study": True})
    message = (thread.state["error"] or {}).get("message", "")
    for field in ("model.name", "hardware.gpus", "hardware.gpu_type"):
        assert field in message
