"""Three studies, and the figures that a person can check: the question, its table and its conclusion."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from contracts.errors import CannotBeKnown
from contracts.request import Request
from contracts.settings import Settings
from contracts.study import Study
from engines.intake.assess import assess_request
from nodes.study_making import make_study

HSDP = "HSDP or full shard for our 70B on 4 nodes over RoCE, and what does 128k context change?"
OFFLOAD = (
    "Vi har 4 A100 80GB og skal fuld-finetune Qwen2.5-14B. Skal vi lægge optimizeren på CPU'en, bruge CPU offload, "
    "eller købe 4 GPU'er mere?"
)
SHAPE = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "vocab_size": 256,
}
GIB = 1 << 30
PARAMS = 70_553_706_496


def study(tmp_path: Path, text: str, **fields: Any) -> Study:
    request = Request.model_validate({"intent": "ask", "study": True, "text": text, **fields})
    # another interpreter than this one: its dry runs would need a person, so none is started
    settings = Settings(home=str(tmp_path / "home"), interpreter="/usr/bin/python-elsewhere")
    return make_study(request, assess_request(request), Runtime(context=settings)).study


@pytest.fixture(scope="module")
def hsdp(tmp_path_factory: pytest.TempPathFactory) -> Study:
    hardware = {"gpus": 32, "nodes": 4, "gpu_type": "H100"}
    return study(tmp_path_factory.mktemp("hsdp"), HSDP, model={"name": "Llama-3-70B"}, hardware=hardware)


def row(found: Study, option: str, condition: str = "8,192 tokens") -> dict[str, Any]:
    [one] = [row for row in found.rows if (row["option"], row.get("condition")) == (option, condition)]
    return one


def said(found: Study) -> str:
    return "\n".join(sentence.text for sentence in found.conclusion)


def test_the_matrix_is_options_by_conditions(hsdp: Study) -> None:
    assert [(one["option"], one["condition"]) for one in hsdp.rows[:6]] == [
        (option, condition)
        for condition in ("8,192 tokens", "131,072 tokens")
        for option in ("full sharding", "HSDP 4 x 8", "HSDP 2 x 16")
    ]


@pytest.mark.parametrize(("option", "shards"), [("full sharding", 32), ("HSDP 4 x 8", 8), ("HSDP 2 x 16", 16)])
def test_states_by_hand(hsdp: Study, option: str, shards: int) -> None:
    # fp32 weight 4, gradient 4, AdamW 8
    states = 16 * PARAMS / shards / GIB
    found = row(hsdp, option)
    assert found["sharded_states"] == pytest.approx(states, abs=0.01)
    # without the gradients, which may be gone at the peak, it takes 12 bytes at least; with all of a step
    # (block inputs 10 GiB, logits and loss 15, gathered groups 11) it takes no more than 70 GiB besides
    assert 12 / 16 * states < found["reserved"] < states + 80


def test_volumes_between_machines_by_hand(hsdp: Study) -> None:
    # the card's rule: full sharding sends two gathers of 2 bytes and a reduction of 4, HSDP 2 x 3/4 x 4 bytes
    assert row(hsdp, "full sharding")["between_machines"] == pytest.approx(8 * PARAMS * 31 / 32 / 1e9, rel=0.01)
    assert row(hsdp, "HSDP 4 x 8")["between_machines"] == pytest.approx(6 * PARAMS / 1e9, abs=1)


def test_only_full_sharding_fits_and_it_says_by_how_much(hsdp: Study) -> None:
    assert hsdp.choice == "full sharding"
    assert [row(hsdp, name)["fits"] for name in ("full sharding", "HSDP 4 x 8", "HSDP 2 x 16")] == [True, False, False]
    first = hsdp.conclusion[0]
    assert first.text.startswith("Full sharding at 8,192 tokens: of what is weighed it alone fits")
    assert first.parts == ("e1", "e2", "e3")


def test_the_speed_of_hsdp_is_not_made_more_of_than_it_is(hsdp: Study) -> None:
    full, replicated = row(hsdp, "full sharding"), row(hsdp, "HSDP 4 x 8")
    assert abs(replicated["tokens_per_s_per_gpu"] / full["tokens_per_s_per_gpu"] - 1) < 0.15
    # model FLOPs by hand: 6 P + 12 x 80 x 8192 x 8192 for each token (attention counted whole), of 989 TFLOP/s
    flops = (6 * PARAMS + 12 * 80 * 8192 * 8192) * full["tokens_per_s_per_gpu"]
    assert 0.25 < flops / 989e12 < 0.6
    assert "no other sharding wins more than that" in said(hsdp)
    assert full["waits"] < 0.02 * full["step"]


def test_128k_does_not_fit_for_its_block_inputs_alone_and_what_fits_is_named(hsdp: Study) -> None:
    # one bf16 input of 131,072 x 8,192 for each of 80 blocks, with full checkpointing
    inputs = 80 * 131072 * 8192 * 2 / GIB
    assert inputs == 160
    for option in ("full sharding", "HSDP 4 x 8", "HSDP 2 x 16"):
        found = row(hsdp, option, "131,072 tokens")
        assert found["fits"] is False
        assert found["reserved"] > inputs
    remedy = row(hsdp, "CP 16 + full activation checkpointing", "131,072 tokens")
    assert remedy["fits"] is True
    # 131,072 / 16 = 8,192 tokens on a rank: what 8,192 tokens take without context parallelism
    assert remedy["reserved"] == pytest.approx(row(hsdp, "full sharding")["reserved"], rel=0.02)


def test_every_number_has_an_error_or_is_arithmetic(hsdp: Study) -> None:
    exact = {"sharded_states", "between_machines"}
    for part in hsdp.parts:
        assert part.source or part.status != "answered"
        for figure in part.figures:
            assert (figure.error_pct is None) == (figure.name in exact), figure


def test_every_sentence_rests_on_a_part(hsdp: Study) -> None:
    known = {part.id for part in hsdp.parts}
    for sentence in hsdp.conclusion:
        assert sentence.parts
        assert set(sentence.parts) <= known


def test_what_was_not_done_and_what_was_assumed_is_said(hsdp: Study) -> None:
    told = "\n".join(hsdp.uncertain)
    assert "8,192 tokens are assumed" in told
    assert "± 15 % (H100-80GB)" in told
    assert "takes a person's approval" in told
    assert "no model folder to run" in told
    assert "congestion of a shared fabric is not" in told
    assert [part.status for part in hsdp.parts if part.kind == "dryrun"] == ["skipped"]
    assert "hsdp-or-full-sharding" in {cited.card for cited in hsdp.citations}


def test_what_is_missing_is_asked_and_not_guessed(tmp_path: Path) -> None:
    with pytest.raises(CannotBeKnown) as caught:
        study(tmp_path, HSDP)
    message = caught.value.message
    assert "Llama-2-70B / Llama-3-70B / Qwen2.5-72B?" in message
    assert "--gpus" in message
    assert "--gpu on the command line" in message
    with pytest.raises(CannotBeKnown, match="hvilken model det er"):
        study(tmp_path, "Skal vi bruge HSDP eller fuld sharding til vores 70B på 4 noder, og hvad ændrer 128k?")


def test_a_question_that_weighs_nothing_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(CannotBeKnown) as caught:
        study(tmp_path, "How does FSDP2 shard Llama-3-8B on 8 H100?")
    assert caught.value.code == "nothing_weighed"


def test_the_danish_study_is_danish_and_right_by_hand(tmp_path: Path) -> None:
    found = study(tmp_path, OFFLOAD)
    assert found.language == "da"
    assert found.choice == "8 GPU'er"
    params = 14_770_033_664  # Qwen2.5-14B
    rows = {one["option"]: one for one in found.rows if one["condition"].startswith("1 ")}
    eight = {one["option"]: one for one in found.rows if one["condition"].startswith("8 ")}
    assert rows["4 GPU'er, alt på GPU'en"]["sharded_states"] == pytest.approx(16 * params / 4 / GIB, abs=0.01)
    assert rows["8 GPU'er"]["sharded_states"] == pytest.approx(16 * params / 8 / GIB, abs=0.01)
    assert rows["optimizer på CPU'en"]["sharded_states"] == pytest.approx(8 * params / 4 / GIB, abs=0.01)
    # AdamW's two moments, weights and gradients of one machine in host memory
    assert rows["optimizer på CPU'en"]["host_of_a_machine"] == pytest.approx(16 * params / GIB, abs=0.1)
    # a quarter of fp32 gradients down and weights up over 25.6 GB/s, and seven passes at 25 GB/s
    shard = 4 * params / 4 / 1e9
    slower = 2 * shard / 25.6 + 7 * shard / 25
    inside, outside = rows["4 GPU'er, alt på GPU'en"], rows["optimizer på CPU'en"]
    assert outside["step"] - inside["step"] == pytest.approx(slower, rel=0.02)
    # eight micro-steps share one optimizer step: its cost is paid once
    assert eight["optimizer på CPU'en"]["step"] - eight["4 GPU'er, alt på GPU'en"]["step"] == pytest.approx(
        slower, rel=0.02
    )
    text = said(found)
    assert "8 GPU'er ved 1 mikro-trin: det er først færdigt og tager færrest GPU-timer" in text
    assert "16 bytes x 14,77e9 / 4 = 55,0 GiB" in text
    assert not any(word in text for word in (" the ", " fits ", " takes "))
    assert not any(word in "\n".join(found.uncertain) for word in (" the ", " is ", " was "))


def test_on_cpu_ranks_trials_are_put_forward_twice_each(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text(json.dumps(SHAPE))
    question = "Is activation checkpointing or reshard_after_forward=False worth it for this model on this machine?"
    fields = {"model": {"path": str(model)}, "hardware": {"device": "cpu", "ranks": 2}, "recipe": {"seq_len": 64}}
    request = Request.model_validate({"intent": "ask", "study": True, "text": question, **fields})
    need = assess_request(request)
    made = make_study(request, need, Runtime(context=Settings(home=str(tmp_path / "home"))))
    labels = [trial.label for trial in made.trials]
    assert len(labels) == 6
    assert labels[3:] == [f"{label}-again" for label in labels[:3]]
    recipes = [trial.recipe for trial in made.trials[:3]]
    assert [recipe.activation_checkpointing for recipe in recipes] == ["none", "full", "none"]
    assert [recipe.reshard_after_forward for recipe in recipes] == [True, True, False]
    assert [part.status for part in made.study.parts if part.kind == "trial"] == ["waiting"] * 6
    assert made.study.choice is None
    assert "only a trial tells" in said(made.study)


PRECEDENCE = "HSDP or full shard for Llama-3-8B on 16 H100"


@pytest.mark.parametrize(
    ("fields", "settings", "told"),
    [
        ({"model": {"name": "Qwen2.5-7B"}}, {"model": "Qwen2.5-7B"}, "says Llama-3-8B"),
        ({"hardware": {"gpu_type": "A100-80GB"}}, {"gpu": "A100-80GB"}, "says H100"),
        ({"hardware": {"gpus": 32}}, {"ranks": 32}, "says 16 GPUs"),
    ],
)
def test_what_a_field_states_holds_in_every_number(
    tmp_path: Path, fields: dict[str, Any], settings: dict[str, Any], told: str
) -> None:
    found = study(tmp_path, PRECEDENCE, **fields)
    estimates = [part for part in found.parts if part.kind == "estimate"]
    for part in estimates:
        assert settings.items() <= part.settings.items()
    for value in settings.values():
        assert str(value) in found.subject
    assert any(told in line and "the latter holds" in line for line in found.uncertain)


def test_a_field_of_the_recipe_wins_over_the_text_and_a_default_that_is_weighed_resets_it(tmp_path: Path) -> None:
    asked = "HSDP or full shard for Llama-3-8B on 16 H100 with full activation checkpointing, micro-batch 1?"
    recipe = {"micro_batch": 4, "activation_checkpointing": "none"}
    for part in study(tmp_path, asked, recipe=recipe).parts:
        if part.id in ("e1", "e2"):  # what comes after is what would fit
            assert part.settings["micro_batch"] == 4
            assert "ac" not in part.settings
    weighed = "Llama-3-8B on 16 H100 with or without activation checkpointing?"
    found = study(tmp_path, weighed, recipe={"activation_checkpointing": "full"})
    assert [part.settings.get("ac") for part in found.parts if part.kind == "estimate"] == [None, "full"]


def test_gpus_of_two_sizes_are_each_judged_by_their_own_limit(tmp_path: Path) -> None:
    asked = "Skal vi bruge 4 H100 med CPU offload eller 8 A100 40GB uden til Llama-3-8B?"
    found = study(tmp_path, asked)
    assert {part.settings["gpu"] for part in found.parts if part.kind == "estimate"} >= {"H100-80GB", "A100-40GB"}
    text = said(found)
    assert "38,0 GiB" in text  # of an A100-40GB
    assert "77,6 GiB" in text
    assert " 0 bytes" not in text


def test_settings_that_cannot_be_paired_are_asked_about(tmp_path: Path) -> None:
    with pytest.raises(CannotBeKnown) as caught:
        study(tmp_path, "TP 2 with CPU offload or HSDP without, Llama-3-8B on 16 H100?")
    assert caught.value.code == "pairing_unclear"
    assert "hsdp without" in caught.value.message


def test_tokens_and_a_price_give_hours_and_cost(tmp_path: Path) -> None:
    asked = "Skal vi gå fra 8 til 16 H100 til fuld finetuning af Llama-3-8B på 2 mia. tokens til 3 dollar i timen?"
    found = study(tmp_path, asked)
    assert [one["ranks"] for one in found.rows] == [8, 16]
    for part in (part for part in found.parts if part.kind == "estimate"):
        figures = {figure.name: figure for figure in part.figures}
        hours = 2e9 / (figures["tokens_per_s_per_gpu"].value * int(part.settings["ranks"])) / 3600
        assert figures["hours"].value == pytest.approx(hours, rel=0.01)
        assert figures["cost"].value == pytest.approx(3 * hours * int(part.settings["ranks"]), rel=0.01)
        assert figures["cost"].error_pct == figures["tokens_per_s_per_gpu"].error_pct
    assert "2.000.000.000 tokens tager" in said(found)
    assert "dollar" in said(found)
    assert any("én GPU i en time: 3,00 dollar" in line for line in found.uncertain)


def test_a_part_that_was_not_looked_at_is_told(tmp_path: Path) -> None:
    asked = "Llama-3-8B on 8 H100 with full activation checkpointing: compile or eager, and how do I save checkpoints?"
    told = study(tmp_path, asked).uncertain
    assert any(line.startswith("Not looked at") and "save checkpoints" in line for line in told)
    assert "Taken from the question for all options: full activation checkpointing." in told


def test_a_question_that_is_read_in_part_says_so(tmp_path: Path) -> None:
    asked = "HSDP or full shard for Llama-3-8B on 16 H100? " + "word " * 1000
    assert len(asked) == len("HSDP or full shard for Llama-3-8B on 16 H100? ") + 5000 == 5046
    told = study(tmp_path, asked).uncertain
    assert "Only the first 4,000 characters of the question were read; it has 5,046." in told
    with pytest.raises(CannotBeKnown, match="it has 5,046"):
        study(tmp_path, "word " * 1000 + "HSDP or full shard for Llama-3-8B on 16 H100? ")


@pytest.mark.parametrize(("gpu", "told"), [("V100", True), ("T4", True), ("A100", False)])
def test_16_bits_without_bf16_hardware_are_fp16_and_said_to_be(tmp_path: Path, gpu: str, told: bool) -> None:
    hardware = {"gpus": 8, "gpu_type": gpu}
    found = study(tmp_path, "LoRA or full fine-tuning?", model={"name": "Llama-3.2-1B"}, hardware=hardware)
    assert any("16 bits mean fp16 here, with torch.amp.GradScaler" in line for line in found.uncertain) == told
