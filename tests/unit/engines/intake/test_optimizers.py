"""The optimizer that a request states, and the bytes that its state takes."""

import pytest

from contracts.request import Request
from engines.intake.assess import assess_request
from engines.intake.completed import complete_request
from engines.intake.extract_optimizer import extract_optimizer


@pytest.mark.parametrize(
    ("text", "optimizer"),
    [
        ("full fine-tune with plain sgd", "sgd"),
        ("sgd with momentum 0.9", "sgd_momentum"),
        ("sgd + nesterov", "sgd_momentum"),
        ("we use 8-bit adamw", "adamw_8bit"),
        ("optim: paged_adamw_8bit", "adamw_8bit"),
        ("adamw_bnb_8bit", "adamw_8bit"),
        ("8bit paged adam of bitsandbytes", "adamw_8bit"),
        ("adafactor, no adamw", "adafactor"),
        ("muon instead of adamw", "muon"),
        ("the lion optimizer", "lion"),
        ("trained with lion", "lion"),
        ("a picture of a lion", None),
        ("sgd or adamw?", None),
        ("adamw", "adamw"),
        ("a 4-bit base with adam", "adamw"),
        ("fine-tune a 7b model", None),
        ("fuld finjustering med sgd, ikke adamw", "sgd"),
    ],
)
def test_an_optimizer_is_read(text, optimizer):
    assert extract_optimizer(text) == optimizer


@pytest.mark.parametrize(
    ("words", "verdict", "said"),
    [
        # 7e9 x (2 + 2 + 4) = 56 GB, of 72 GB usable on an A100 of 80 GB
        ("plain SGD", "not_needed", "Full training with SGD in mixed precision holds 8 bytes"),
        ("Adafactor", "not_needed", "= 56 GB of model states"),
        # 7e9 x 12 = 84 GB, x 16 = 112 GB
        ("Muon", "wait", "= 84 GB of model states"),
        ("the Lion optimizer", "wait", "= 84 GB of model states"),
        ("AdamW", "wait", "7 billion parameters x 16 = 112 GB"),
        ("8-bit AdamW", "wait", "Full training with 8-bit AdamW in mixed precision holds 10 bytes"),
    ],
)
def test_the_states_are_those_of_the_optimizer(words, verdict, said):
    need = assess_request(Request(text=f"Full fine-tune of a 7B model with {words} on 1 A100 80GB, seq 2048"))
    assert need.verdict == verdict
    assert said in " ".join(reason.text for reason in need.reasons)


def test_a_field_of_the_request_counts_too():
    request = Request.model_validate(
        {
            "intent": "plan",
            "method": "full",
            "optimizer": "sgd",
            "model": {"name": "7B"},
            "hardware": {"gpus": 1, "gpu_type": "A100", "gpu_mem_gb": 80},
        }
    )
    assert assess_request(request).verdict == "not_needed"


def test_the_reason_is_danish_in_danish():
    need = assess_request(Request(text="Fuld finjustering af en 7B-model med SGD på 8 A100 40GB"))
    assert "Fuld træning med SGD" in need.reasons[0].text


@pytest.mark.parametrize(
    ("text", "optimizer"),
    [
        ("Plan full fine-tuning of Llama-3-8B on 8 H100 with 8-bit AdamW, seq 4096", "adamw_8bit"),
        ("Planlæg fuld finetuning af Qwen2.5-7B på 4 A100 80GB med SGD og momentum", "sgd_momentum"),
        ("Full fine-tune of Llama-3-8B on 8 H100", None),
        ("Adafactor or Muon for Llama-3-8B on 8 H100?", None),
    ],
)
def test_the_need_tells_the_optimizer_where_it_is_stated(text, optimizer):
    assert assess_request(Request(text=text)).extracted.optimizer == optimizer


def test_what_the_need_holds_is_what_a_plan_is_made_for():
    request = Request(text="Planlæg fuld finetuning af Llama-3-8B på 8 H100 med Adafactor")
    whole = complete_request(request, assess_request(request))
    assert (whole.optimizer, whole.language) == ("adafactor", "da")
