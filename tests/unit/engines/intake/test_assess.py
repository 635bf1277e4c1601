"""Structured requests, and structure against text."""

from typing import Any

import pytest

from contracts.need import Need
from contracts.request import Request
from engines.intake.assess import assess_request
from engines.intake.request_file import parse_request

RUN: dict[str, Any] = {
    "intent": "run",
    "model": {"path": "/models/tiny"},
    "data": {"train": "/data/train.jsonl"},
    "hardware": {"ranks": 2, "device": "cpu"},
}


def assess(body: dict[str, Any], model_params: int | None = None) -> Need:
    return assess_request(parse_request(body), model_params)


def codes(need: Need) -> list[str]:
    return [reason.code for reason in need.reasons]


def missing(need: Need) -> dict[str, str | None]:
    return {gap.code: gap.assumed for gap in need.missing}


def test_the_demo_on_two_cpu_ranks_runs_because_it_was_asked_for() -> None:
    need = assess(RUN, 3_400_000)
    assert (need.intent, need.verdict, codes(need)) == ("run", "use_fsdp", ["explicit_run_request"])
    # 3.4e6 parameters x 16 bytes = 54.4 MB, half of it on each rank.
    assert "54.4 MB" in need.reasons[0].text
    assert "27.2 MB" in need.reasons[0].text
    assert "would not need sharding" in need.reasons[0].text
    assert need.missing == ()


def test_one_rank_may_run_with_the_remark_that_nothing_is_sharded() -> None:
    need = assess(RUN | {"hardware": {"ranks": 1, "device": "cpu"}}, 3_400_000)
    assert need.verdict == "use_fsdp"
    assert "nothing is sharded" in need.reasons[0].text


def test_a_run_that_needs_sharding_says_so_first() -> None:
    need = assess(RUN | {"hardware": {"gpus": 8, "gpu_type": "H100"}}, 8_030_261_248)
    assert codes(need) == ["model_states_exceed_one_gpu", "explicit_run_request"]
    # 8.03e9 x 16 = 128.5 GB; over 8: 16.1 GB.
    assert "= 128 GB" in need.reasons[0].text
    assert "16.1 GB each" in need.reasons[0].text


def test_a_small_run_on_gpus_keeps_the_remark_about_memory() -> None:
    need = assess(RUN | {"hardware": {"gpus": 2, "gpu_type": "L4"}}, 500_000_000)
    assert need.verdict == "use_fsdp"
    assert codes(need) == ["explicit_run_request", "fits_one_gpu", "ddp_suffices"]


def test_a_run_of_adapters_that_one_gpu_holds_is_not_for_fsdp() -> None:
    need = assess(RUN | {"method": "lora", "hardware": {"gpus": 1, "gpu_type": "A100"}}, 8_000_000_000)
    assert (need.verdict, codes(need)[0]) == ("not_needed", "lora_on_one_gpu_suffices")


def test_a_run_without_model_or_data_asks_for_them() -> None:
    need = assess({"intent": "run", "hardware": {"gpus": 8, "gpu_type": "H100"}, "model": {"params_b": 8}})
    assert missing(need)["model"] is None
    assert missing(need)["data"] is None


def test_a_script_brings_its_own_model_and_data() -> None:
    need = assess({"intent": "run", "script": {"path": "train.py"}, "hardware": {"gpus": 2}})
    assert (need.verdict, codes(need), need.missing) == ("use_fsdp", ["explicit_run_request"], ())


@pytest.mark.parametrize(
    ("body", "intent", "code"),
    [
        ({"paths": ["/logs"]}, "diagnose", "multi_gpu_failure"),
        ({"script": {"path": "/train.py"}}, "review", "fsdp_code_review"),
        ({"intent": "ask", "text": "Does FSDP2 need ShardedGradScaler?"}, "ask", "distributed_question"),
        ({"model": {"path": "/m"}, "data": {"train": "/d"}}, "run", "explicit_run_request"),
        ({}, "plan", "insufficient_information"),
        ({"intent": "none"}, "none", "agent_or_workflow_automation"),
        ({"intent": "plan", "hardware": {"gpus": 0}, "model": {"params_b": 8}}, "plan", "no_multi_gpu_hardware"),
    ],
)
def test_the_fields_tell_the_intent(body: dict[str, Any], intent: str, code: str) -> None:
    need = assess(body)
    assert (need.intent, need.reasons[0].code) == (intent, code)


def test_a_stated_intent_is_not_guessed_anew() -> None:
    text = "Llama-3-8B full fine-tune on 8 H100, seq 8192"
    assert assess({"text": text}).intent == "plan"
    assert assess({"text": text, "intent": "review"}).intent == "review"


def test_scope_holds_whatever_intent_is_stated() -> None:
    need = assess({"text": "Serve the 70B with vLLM on two L40S", "intent": "plan"})
    assert (need.intent, need.verdict) == ("plan", "out_of_scope")


def test_structure_wins_and_the_contradiction_is_asked() -> None:
    need = assess(
        {"text": "Full SFT of Llama-3-8B at seq 8192 on 4 H100", "hardware": {"gpus": 8}, "recipe": {"seq_len": 4096}}
    )
    assert (need.extracted.gpus, need.extracted.seq_len) == (8, 4096)
    assert missing(need)["conflict_gpus"] == "8"
    assert missing(need)["conflict_seq_len"] == "4096"


def test_structure_settles_a_contradiction_of_the_text() -> None:
    text = "2 nodes x 8 GPUs = 12 GPUs, A100 80GB, 30B full finetune, which config?"
    assert missing(assess({"text": text}))["conflict_gpus"] is None
    settled = assess({"text": text, "hardware": {"gpus": 12}})
    assert settled.extracted.gpus == 12
    assert "conflict_gpus" not in missing(settled)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("4 nodes x 8 H100, 24 GPUs in total, 70B full fine-tune, which config?", "conflict_gpus"),
        ("Either 4 or 8 A100 80GB for a 13B full finetune, what layout?", "conflict_gpus"),
        ("Full fine-tune of Llama-3-8B, which is a 13B model, on 8 H100. Plan?", "conflict_params_b"),
        ("Plan for full fine-tuning 13B on 8 H100 with 48 GB each.", "conflict_gpu_mem_gb"),
        ("Plan: 13B full SFT, 8 A100 80GB, seq 4096. Context is 8192.", "conflict_seq_len"),
    ],
)
def test_contradictory_numbers_are_asked(text: str, code: str) -> None:
    assert code in missing(assess({"text": text}))


def test_a_request_that_travelled_as_json_keeps_its_meaning() -> None:
    """A dump sets every field; a default in it says nothing, and the text is heard."""
    request = Request(text="Full SFT of Llama-3-8B at seq 8192 on 2 nodes with 8 H100 each")
    travelled = Request.model_validate(request.model_dump(mode="json"))
    need = assess_request(travelled)
    assert need == assess_request(request)
    assert (need.extracted.seq_len, need.extracted.nodes, need.extracted.gpus) == (8192, 2, 16)


def test_assumed_numbers_are_named() -> None:
    need = assess({"text": "How do we set up full fine-tuning of a 13B model over 8 GPUs?"})
    assert need.verdict == "use_fsdp"
    assert missing(need)["gpu_memory"] == "80 GB per GPU"
    assert "80 GB is assumed" in need.reasons[0].text
    assert missing(need)["seq_len"] == "2048 tokens"
    assert missing(assess({"text": "Fine-tune bert-large on 2 L4"}))["seq_len"] == "512 tokens"


@pytest.mark.parametrize("text", ["Hvordan laver jeg lasagne?", "How do I bake bread?", "Hvem vandt EM i 1992?"])
def test_what_has_nothing_to_do_with_computing_is_not_told_of_workflow_tools(text: str) -> None:
    need = assess({"text": text})
    assert need.verdict == "out_of_scope"
    said = " ".join((need.reasons[0].text, need.instead)).lower()
    for word in ("n8n", "langgraph", "workflow", "office", "kontor", "agent", "automat"):
        assert word not in said
    assert "distribu" in said


def test_a_workflow_is_still_told_where_to_go() -> None:
    assert "n8n" in assess({"text": "My n8n workflow should send me an e-mail"}).instead


def test_a_danish_request_is_answered_in_danish_with_english_terms() -> None:
    need = assess({"text": "Fuld finetuning af 13B på 8 A100 80 GB, sekvens 2048. Passer det?"})
    assert need.language == "da"
    assert need.reasons[0].text.startswith("Fuld træning med AdamW i mixed precision")
    assert "= 208 GB" in need.reasons[0].text
    assert {gap.question for gap in need.missing} == {
        "Hvor mange sekvenser pr. GPU og micro-step?",
        "Over hvor mange maskiner er GPU'erne fordelt?",
    }


def test_the_stated_language_wins() -> None:
    assert assess({"text": "13B full finetune on 8 A100, fits?", "language": "da"}).language == "da"


def test_the_same_request_has_the_same_answer() -> None:
    body = {"text": "70B QLoRA on two 3090s at 4k?"}
    assert assess(body) == assess(body)


@pytest.mark.parametrize(("language", "words"), [("en", "asks for trials of up to 3"), ("da", "forsøg med op til 3")])
def test_trials_of_a_small_model_are_made_because_they_were_asked_for(language: str, words: str) -> None:
    asked = {"intent": "plan", "language": language, "model": {"path": "/m"}, "method": "full"}
    asked |= {"hardware": {"device": "cpu", "ranks": 2}, "recipe": {"seq_len": 64}}
    planned = assess_request(Request.model_validate(asked), 1_000_000)
    assert planned.verdict != "use_fsdp"
    tried = assess_request(Request.model_validate(asked | {"trials": 3}), 1_000_000)
    assert (tried.intent, tried.verdict) == ("plan", "use_fsdp")
    # data need not be named for them, so nothing says that it was
    assert words in tried.reasons[0].text
    assert not [gap for gap in tried.missing if gap.assumed is None]


@pytest.mark.parametrize(
    "text",
    [
        "we serve Llama-3-70B with vLLM on 4 H100, should we use FSDP?",
        "Deploy my 70B model on Kubernetes for inference on 8 H100",
        "We deploy a 70B model for serving on 8 H100: FSDP or not?",
    ],
)
def test_serving_is_declined_though_fsdp_and_gpus_are_named(text):
    need = assess_request(Request(text=text))
    assert (need.verdict, need.reasons[0].code) == ("out_of_scope", "inference_only")
    assert need.instead


@pytest.mark.parametrize(
    "text",
    [
        "Fine-tune Llama-3-70B on 8 H100 with FSDP; later we serve it with vLLM. Which settings?",
        "We train a 70B model on Kubernetes on 16 H100, full fine-tuning, and deploy it for inference afterwards",
        "Our FSDP checkpoint does not load in vLLM: optimizer states are missing",
    ],
)
def test_training_that_ends_in_serving_is_ours(text):
    assert assess_request(Request(text=text)).verdict != "out_of_scope"


@pytest.mark.parametrize(
    ("gpus", "assumed"),
    [("8 H200", "one machine"), ("9 H200", "2 machines of 8 GPUs"), ("64 H200", "8 machines of 8 GPUs")],
)
def test_more_gpus_than_a_machine_has_are_spread_over_several(gpus: str, assumed: str) -> None:
    need = assess({"text": f"Full fine-tune of a 70B model on {gpus}"})
    assert missing(need)["nodes"] == assumed
    assert ("interconnect" in missing(need)) == (assumed != "one machine")


def test_a_gpu_of_one_size_is_not_asked_about_and_of_several_only_its_memory() -> None:
    for kind in ("RTX 4090", "L4", "T4", "H200"):
        assert "gpu_memory" not in missing(assess({"text": f"Full fine-tune of a 7B model on 8 {kind}"}))
    asked = [gap for gap in assess({"text": "Full fine-tune of a 7B on 4 A100"}).missing if gap.code == "gpu_memory"]
    assert [(gap.question, gap.assumed) for gap in asked] == [("How much memory has one A100?", "80 GB per GPU")]


@pytest.mark.parametrize(
    ("hardware", "said"),
    [("a TPU v4 pod", "torch_xla"), ("my Mac Studio", "MPS"), ("eight Trainium2 chips", "maker's own backend")],
)
def test_no_memory_is_assumed_of_what_is_no_gpu(hardware: str, said: str) -> None:
    need = assess({"text": f"Full fine-tune of a 13B model on {hardware}"})
    assert (need.verdict, codes(need)) == ("wait", ["no_multi_gpu_hardware"])
    assert said in need.reasons[0].text
    assert "gpu_memory" not in missing(need)


@pytest.mark.parametrize(
    ("text", "frozen"),
    [
        ("Full-parameter DPO of a 13B with a reference model on 8 A100 80GB", True),
        ("PPO, all weights, 13B: actor, critic and reference on 8 A100 80GB", True),
        ("Fuld DPO af en 13B med en frossen referencemodel på 8 A100 80GB", True),
        ("Full-parameter DPO of a 13B on 8 A100 80GB", False),
        ("LoRA DPO of a 13B with a reference model on 8 A100 80GB", False),
    ],
)
def test_a_reference_model_of_no_stated_size_is_as_large_as_the_policy(text: str, frozen: bool) -> None:
    # 13e9 parameters x 2 bytes of bf16 beside x 16 of the policy: 26 + 208 GB
    assert ("234 GB" in " ".join(reason.text for reason in assess({"text": text}).reasons)) == frozen
