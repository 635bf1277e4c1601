"""What a text says fills what the structured fields leave open, and nothing else."""

import pytest

from contracts.errors import RequestInvalid
from contracts.need import Extracted, Need, Reason
from contracts.request import Request
from engines.intake.assess import assess_request
from engines.intake.completed import complete_request


def need(**said: object) -> Need:
    return Need(
        intent="plan",
        verdict="use_fsdp",
        language="en",
        reasons=(Reason(code="model_states_exceed_one_gpu", text="x"),),
        extracted=Extracted.model_validate(said),
    )


SAID = {
    "model": "Llama-3-8B",
    "params_b": 8.03,
    "gpus": 16,
    "nodes": 2,
    "gpu_type": "H100",
    "gpu_mem_gb": 80.0,
    "seq_len": 8192,
    "batch": 2,
    "method": "full",
}


def test_a_text_alone_becomes_a_whole_request() -> None:
    made = complete_request(Request(text="..."), need(**SAID))
    assert made.model is not None
    assert (made.model.name, made.model.params_b) == ("Llama-3-8B", 8.03)
    hardware = made.hardware
    assert (hardware.gpus, hardware.nodes, hardware.gpu_type, hardware.gpu_mem_gb) == (16, 2, "H100", 80.0)
    assert (made.recipe.seq_len, made.recipe.micro_batch, made.method) == (8192, 2, "full")
    assert made.recipe.model_fields_set == {"seq_len", "micro_batch"}


def test_structured_fields_stay_as_they_are() -> None:
    given = Request.model_validate(
        {
            "method": "lora",
            "model": {"path": "/m"},
            "hardware": {"nodes": 1, "gpus": 4, "gpu_type": "A100", "gpu_mem_gb": 40},
            "recipe": {"seq_len": 512, "micro_batch": 8},
        }
    )
    assert complete_request(given, need(**SAID)) == given.model_copy(update={"language": "en"})


def test_gpus_of_the_text_do_not_become_ranks_of_a_cpu_job() -> None:
    given = Request.model_validate({"hardware": {"device": "cpu", "ranks": 2}})
    assert complete_request(given, need(gpus=8)).hardware.gpus is None


def test_nothing_said_changes_nothing_but_the_language() -> None:
    given = Request(text="hello")
    assert complete_request(given, need()) == given.model_copy(update={"language": "en"})


def test_a_value_that_no_request_may_have_is_named() -> None:
    with pytest.raises(RequestInvalid, match="seq_len"):
        complete_request(Request(), need(seq_len=1))


@pytest.mark.parametrize(
    ("text", "optimizer"),
    [
        ("Full fine-tune of Llama-3-8B with SGD on 8 H100", "sgd"),
        ("Full fine-tune of Llama-3-8B with the Lion optimizer on 8 H100", None),
        ("Full fine-tune of Llama-3-8B on 8 H100", None),
    ],
)
def test_a_plan_is_made_for_the_optimizer_that_the_text_states(text, optimizer):
    request = Request(text=text)
    assert complete_request(request, assess_request(request)).optimizer == optimizer
