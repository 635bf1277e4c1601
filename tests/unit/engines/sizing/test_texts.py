"""Plans and trials speak Danish where the request does: every sentence of the tables, and every text of a plan."""

import re
import string
from functools import cache
from pathlib import Path

import pytest

from contracts.aim import Aim
from contracts.errors import CannotBeKnown, RequestInvalid
from contracts.request import Request
from contracts.trials import TrialResult
from engines.intake.assess import assess_request
from engines.intake.completed import complete_request
from engines.sizing.candidates import candidates
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import shape_of
from engines.sizing.measured import judged
from engines.sizing.texts import SENTENCES
from tests.danish import english_texts, english_words

ROOT = Path(__file__).parents[4]
REQUESTS = {
    "one machine": {"text": "Planlæg fuld finjustering af Llama-3-8B på 8 H100 med sekvenslængde 8192"},
    "machines, a price": {
        "text": "Planlæg fuld finetuning af Llama-3-70B på 4 noder med 8 H100 hver over RoCE 400, sekvenslængde 4096",
        "aim": {"tokens": 2_000_000_000, "price_per_gpu_hour": 2.5},
    },
    "no fit": {"text": "Planlæg fuld finjustering af Llama-3-70B på 8 A100 40GB med sekvenslængde 8192"},
    "adapters": {"text": "Planlæg QLoRA af Llama-3-8B på 2 RTX 3090 med sekvenslængde 1024"},
    "old GPUs": {"text": "Planlæg fuld finjustering af Llama-3.2-1B på 4 V100 med sekvenslængde 2048"},
    "one GPU": {"text": "Planlæg fuld finjustering af Qwen2.5-7B på 1 H200 med adafactor og sekvenslængde 4096"},
    "long": {"text": "Planlæg fuld finetuning af Llama-3-8B på 8 H100 med sekvenslængde 131072"},
    "CPU": {"text": "Kør det, tak", "intent": "run", "language": "da", "model": {"name": "Llama-3.2-1B"},
            "hardware": {"ranks": 4, "device": "cpu"}, "recipe": {"seq_len": 128, "dp_replicate": 2}},
    "fewest": {"language": "da", "intent": "plan", "model": {"name": "Llama-3-8B"}, "aim": {"goal": "fewest_gpus"},
               "hardware": {"gpus": 16, "gpu_type": "L40S"}, "recipe": {"seq_len": 4096, "param_dtype": "fp32"}},
    "memory stated": {"language": "da", "intent": "plan", "model": {"name": "Llama-3-8B"},
                      "hardware": {"gpus": 8, "gpu_mem_gb": 24}, "recipe": {"seq_len": 1024, "reduce_dtype": "bf16"}},
}  # fmt: skip


def values(template: str) -> set[tuple[str, str]]:
    return {(name, spec or "") for _, name, spec, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("key", sorted(SENTENCES))
def test_both_languages_say_the_same_of_the_same_values(key):
    english, danish = SENTENCES[key]
    assert {name for name, _ in values(english)} == {name for name, _ in values(danish)}
    assert not english_words(" ".join(text for text, *_ in string.Formatter().parse(danish))), danish


def test_every_sentence_is_used():
    sources = [*(ROOT / "engines" / "sizing").rglob("*.py"), *(ROOT / "nodes").glob("*.py")]
    text = "\n".join(path.read_text() for path in sources if not path.name.startswith("texts_"))
    made_up = {f"cost_ac_{ac}" for ac in ("none", "full", "selective_op", "every_k")} | {"hsdp_why", "one_group_why"}
    assert [key for key in SENTENCES if key not in made_up and not re.search(rf"[\"']{key}[\"']", text)] == []
    assert made_up <= set(SENTENCES)


@cache
def planned(name, language=None):
    """A plan is made once for all tests."""
    body = REQUESTS[name] | ({"language": language} if language else {})
    request = Request.model_validate(body)
    need = assess_request(request)
    whole = complete_request(request, need)
    assert whole.model is not None
    shape = shape_of(whole.model.name or "")
    return whole, choose_plan(whole, need, shape), shape


@pytest.mark.parametrize("name", REQUESTS)
def test_a_danish_plan_has_no_english_sentence(name):
    request, made, shape = planned(name)
    assert english_texts(made.model_dump(mode="json")) == {}
    assert english_texts(list(candidates(request, made, shape, 4).left_out)) == {}


def test_the_same_plan_is_english_where_the_request_is():
    _, danish, _ = planned("one machine")
    _, english, _ = planned("one machine", "en")
    assert english.plan_id == danish.plan_id
    assert english.recipe == danish.recipe
    assert len(english_texts(english.model_dump(mode="json"))) > 20  # so that the test above can fail
    assert "8.03 billion parameters" in english.decisions[0].because
    assert "8,03 mia. parametre" in danish.decisions[0].because


@pytest.mark.parametrize(
    ("goal", "speeds"),
    [("fastest", (100.0, 101.0)), ("fastest", (100.0, 200.0)), ("largest_micro_batch", (300.0, 200.0)),
     ("fastest", (100.0, None)), ("fastest", (None, None))],
)  # fmt: skip
def test_why_a_trial_won_is_told_in_danish(goal, speeds):
    request, made, shape = planned("memory stated")
    tried = candidates(request, made, shape, 2).trials
    results = tuple(
        TrialResult(label=trial.label, status="failed", reason="CUDA OOM")
        if speed is None
        else TrialResult(label=trial.label, status="measured", tokens_per_s_per_gpu=speed, steps=9, peak_gib=30.0,
                         peak_of="cuda_reserved")
        for trial, speed in zip(tried, speeds, strict=True)
    )  # fmt: skip
    because = judged(tried, results, Aim(goal=goal), 20.0, "da").because
    assert because
    assert not english_words(because), because


@pytest.mark.parametrize(
    "changes",
    [{"hardware": {"gpus": None}}, {"hardware": {"gpus": 8, "gpu_type": "Voodoo"}},
     {"hardware": {"gpus": 8, "nodes": 3}},
     {"hardware": {"gpus": 8, "gpu_type": "H100"}, "recipe": {"dp_replicate": 3}}],
)  # fmt: skip
def test_what_is_missing_is_asked_for_in_danish(changes):
    body = {"language": "da", "intent": "plan", "model": {"name": "Llama-3-8B"}} | changes
    with pytest.raises((CannotBeKnown, RequestInvalid)) as caught:
        choose_plan(Request.model_validate(body), None, shape_of("Llama-3-8B"))
    for text in (caught.value.message, caught.value.hint):
        assert not english_words(text), text
