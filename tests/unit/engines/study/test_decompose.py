"""Questions as people put them, and what each weighs, as a reader of them would say."""

import time

import pytest

from engines.study.decompose import MOST_OPTIONS, decompose
from engines.study.detect import takes_study
from engines.study.labels import label
from engines.study.outline import Known

ON_32 = Known(ranks=32, nodes=4)
ON_8 = Known(ranks=8, nodes=1)
ON_4 = Known(ranks=4, nodes=1)


def told(question: str, known: Known) -> tuple[list[str], list[str]]:
    outline = decompose(question, known)
    return (
        [label(option, known, "en") for option in outline.options],
        [label(condition, known, "en") for condition in outline.conditions],
    )


@pytest.mark.parametrize(
    ("question", "known", "options", "conditions"),
    [
        (
            "HSDP or full shard for our 70B on 4 nodes over RoCE, and what does 128k context change?",
            ON_32,
            ["full sharding", "HSDP 4 x 8", "HSDP 2 x 16"],
            ["8,192 tokens", "131,072 tokens"],
        ),
        (
            "Is activation checkpointing or reshard_after_forward=False worth it for this model on this machine?",
            Known(ranks=2, nodes=1, on_cpu=True),
            [
                "no activation checkpointing, full sharding",
                "full activation checkpointing",
                "no resharding after forward (ZeRO-2)",
            ],
            [""],
        ),
        (
            "Skal vi lægge optimizeren på CPU'en, bruge CPU offload, eller købe 4 GPU'er mere?",
            ON_4,
            [
                "everything on the GPU, 4 GPUs",
                "optimizer on the CPU",
                "CPU offload of all sharded states",
                "8 GPUs",
            ],
            ["1 micro-step", "8 micro-steps"],
        ),
        ("TP 8 or CP 8 for Llama-3-70B at 64k?", ON_32, ["no TP, no CP", "TP 8", "CP 8"], [""]),
        ("LoRA or full fine-tuning of Llama-3-8B?", ON_4, ["full fine-tuning", "LoRA"], [""]),
        ("8 or 16 H100 for Llama-3-8B?", Known(), ["8 GPUs", "16 GPUs"], [""]),
        ("Er 16 H100 bedre end 8 H100?", Known(), ["8 GPUs", "16 GPUs"], [""]),
        ("Does RoCE rather than InfiniBand matter?", ON_32, ["RoCE 400 Gb/s", "InfiniBand NDR"], [""]),
        ("FSDP or DDP for Qwen2.5-1.5B?", ON_8, ["full sharding", "DDP"], [""]),
        (
            "with activation checkpointing on 8 A100, should we use 8-bit Adam or CPU offload?",
            ON_8,
            ["AdamW, everything on the GPU", "8-bit AdamW", "CPU offload of all sharded states"],
            ["1 micro-step", "8 micro-steps"],
        ),
        (
            "Hvad ændrer 32k kontekst, og skal vi bruge activation checkpointing?",
            ON_8,
            ["no activation checkpointing", "full activation checkpointing"],
            ["8,192 tokens", "32,768 tokens"],
        ),
        (
            "Is selective checkpointing enough, or do we need full?",
            ON_8,
            ["no activation checkpointing", "selective activation checkpointing", "full activation checkpointing"],
            [""],
        ),
        (
            "Should we move from 8 A100 to 8 H100, or to 16 A100?",
            Known(ranks=8, nodes=1),
            ["A100", "16 GPUs + A100", "H100"],
            [""],
        ),
        ("2 nodes instead of 4 nodes of 8 H100 for Qwen2.5-72B?", Known(), ["16 GPUs", "32 GPUs"], [""]),
        ("QLoRA eller LoRA til Qwen2.5-14B?", ON_4, ["QLoRA", "LoRA"], [""]),
        (
            "Does 1M context work, with or without activation checkpointing?",
            ON_8,
            ["no activation checkpointing", "full activation checkpointing"],
            [""],
        ),
        ("PP 2 or TP 2?", ON_32, ["no PP, no TP", "PP 2", "TP 2"], ["1 micro-step", "8 micro-steps"]),
        ("Micro-batch 1, 2 or 4?", ON_8, ["micro-batch 1", "micro-batch 2", "micro-batch 4"], [""]),
        (
            "torch.compile or fp8 for Llama-3-8B?",
            ON_8,
            ["eager, bf16", "torch.compile", "float8 matrix products"],
            [""],
        ),
        (
            "is bf16 gradient reduction worth it?",
            ON_32,
            ["gradients reduced in fp32", "gradients reduced in bf16"],
            [""],
        ),
    ],
)
def test_what_a_question_weighs(question: str, known: Known, options: list[str], conditions: list[str]) -> None:
    assert told(question, known) == (options, conditions)


def test_what_is_stated_as_given_is_no_option() -> None:
    outline = decompose(
        "Full fine-tune of Llama-3-8B with activation checkpointing at 8k over InfiniBand: HSDP or ZeRO-2?"
    )
    assert outline.fixed == {"@model": "Llama-3-8B", "ac": "full", "seq_len": 8192, "@network": "InfiniBand NDR"}


def test_a_float8_option_is_compared_with_compiled_bf16() -> None:
    """Without torch.compile each cast is a kernel of its own: an eager bf16 run would be no fair rival."""
    assert decompose("Is fp8 worth it?").fixed == {"compile": True}
    eager, compiled, narrow = decompose("torch.compile or fp8?").options
    assert [option.changes.get("compile") for option in (eager, compiled, narrow)] == [False, True, True]


def test_the_base_length_that_was_assumed_is_said_to_be() -> None:
    assert decompose("HSDP or full shard, and what does 128k change?", ON_32).assumed_seq_len
    known = Known(ranks=32, nodes=4, seq_len=4096)
    outline = decompose("HSDP or full shard, and what does 128k change?", known)
    assert not outline.assumed_seq_len
    assert [condition.changes["seq_len"] for condition in outline.conditions] == [4096, 131072]


def test_many_options_stay_a_table() -> None:
    question = "HSDP, ZeRO-2, DDP or full sharding, selective checkpointing or full, TP 1, 2 or 4, 8-bit Adam or Muon?"
    assert 2 <= len(decompose(question, ON_32).options) <= MOST_OPTIONS


@pytest.mark.parametrize(
    ("question", "study"),
    [
        ("HSDP or full shard for our 70B on 4 nodes over RoCE, and what does 128k context change?", True),
        ("LoRA eller fuld finetuning af Llama-3-8B på 4 A100?", True),
        ("Is CPU offload worth it for Qwen2.5-32B on 8 A100?", True),
        ("DDP or FSDP?", False),  # in general: the cards say it
        ("does FSDP2 need ShardedGradScaler?", False),
        ("Plan a full fine-tune of Llama-3-8B on 8 H100, LoRA or full", False),  # an order
        ("Full fine-tune of Llama-3-8B, seq 8192, on 8 H100", False),  # asks nothing
        ("How do I save a checkpoint with DCP or torch.save on 8 GPUs?", False),
        ("", False),
    ],
)
def test_when_a_question_takes_a_study(question: str, study: bool) -> None:
    assert takes_study(question) is study


def test_a_hostile_question_takes_no_longer_than_its_length() -> None:
    started = time.monotonic()
    for text in ("8 or " * 1500, "a-" * 3000, "optimizer " * 600 + "cpu", "1," * 3000, "llama-" * 900, "k " * 4000):
        decompose(text, ON_8)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "micro-batch 4 with full activation checkpointing or micro-batch 1 without it, on 8 H100?",
            [{"micro_batch": 4, "ac": "full"}, {"micro_batch": 1, "ac": "none"}],
        ),
        (
            "mikro-batch 4 med fuld activation checkpointing eller mikro-batch 1 uden, til Mistral-7B på 8 H100?",
            [{"micro_batch": 4, "ac": "full"}, {"micro_batch": 1, "ac": "none"}],
        ),
        (
            "Llama-3-8B on 8 H100 with AC at 4096 tokens or without AC at 2048 tokens?",
            [{"ac": "full", "seq_len": 4096}, {"ac": "none", "seq_len": 2048}],
        ),
        (
            "4 H100 med CPU offload eller 8 A100 40GB uden til Llama-3-8B?",
            [
                {"@gpus": 4, "@gpu": "H100", "cpu_offload": True},
                {"@gpus": 8, "@gpu": "A100-40GB", "cpu_offload": False},
            ],
        ),
        (
            "micro-batch 4 with full AC, micro-batch 2 with selective AC, or micro-batch 1 without, on 8 H100?",
            [
                {"micro_batch": 4, "ac": "full"},
                {"micro_batch": 2, "ac": "selective_op"},
                {"micro_batch": 1, "ac": "none"},
            ],
        ),
    ],
)
def test_settings_that_a_question_ties_to_each_other_stay_together(
    question: str, sides: list[dict[str, object]]
) -> None:
    assert [dict(option.changes) for option in decompose(question).options] == sides


def test_a_list_and_a_yes_or_no_are_no_pairs() -> None:
    outline = decompose("micro-batch 1 or 4, with AC or without, for Llama-3-8B on 8 H100?")
    assert [option.changes for option in outline.options] == [{"ac": "none"}, {"ac": "full"}]
    assert [condition.changes for condition in outline.conditions] == [{"micro_batch": 1}, {"micro_batch": 4}]
    assert not outline.unclear


@pytest.mark.parametrize(
    "question", ["TP 2 with CPU offload or HSDP without, on 16 H100", "8 H100 or 16 A100 without it for Llama-3-8B?"]
)
def test_a_without_that_cannot_be_placed_is_not_understood(question: str) -> None:
    assert "without" in decompose(question).unclear


@pytest.mark.parametrize(
    "question",
    [
        "Is bf16 reduction instead of fp32 worth it?",
        "bf16 or fp32 reduction on 16 H100?",
        "Skal vi bruge reduktion i bf16 i stedet for fp32?",
    ],
)
def test_the_dtypes_of_a_reduction_are_no_precision_of_the_training(question: str) -> None:
    assert told(question, ON_32) == (["gradients reduced in fp32", "gradients reduced in bf16"], [""])
    assert "precision" not in decompose(question).topics


def test_the_degree_that_is_taken_is_in_the_name() -> None:
    assert told("TP or CP for Llama-3-8B?", ON_4)[0] == ["no TP, no CP", "TP 4", "CP 4"]


def test_a_part_that_nothing_answers_is_told_and_what_is_held_is_named() -> None:
    outline = decompose("TP or CP for Llama-3-8B at 32k, and how do I save checkpoints?", ON_8)
    assert outline.unlooked == ("how do i save checkpoints",)
    assert [(choice.axis, choice.value) for choice in outline.held] == [("seq_len", 32768)]
    sure = decompose("TP or CP with selective AC, and does full activation checkpointing suffice?", ON_8)
    assert not sure.unlooked
    assert any(option.changes.get("ac") == "full" for option in sure.options)


@pytest.mark.parametrize(
    "question",
    [
        "HSDP or full shard for our 70B on 4 nodes over RoCE, and what does 128k context change?",
        "Vi har 4 A100 og skal fuld-finetune Qwen2.5-14B. Skal vi bruge CPU offload, eller købe 4 GPU'er mere?",
        "LoRA or full fine-tuning: which is faster?",
        "8 or 16 H100 for Llama-3-8B: is it worth it?",
    ],
)
def test_what_is_answered_is_not_said_to_be_left(question: str) -> None:
    assert not decompose(question, ON_8).unlooked


def test_options_beyond_a_table_are_counted() -> None:
    question = "HSDP, ZeRO-2, DDP or full sharding, selective checkpointing or full, TP 1, 2 or 4, 8-bit Adam or Muon?"
    assert decompose(question, ON_32).left_out > 0
