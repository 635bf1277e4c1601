"""Reading records that word the same run differently, and records that are nonsense."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.errors import InputError
from engines.sizing.row_reading import read_row
from engines.sizing.rows import estimate_row

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "cases" / "memory" / "published.jsonl").read_text().splitlines()
]
BY_ID = {row["id"]: row for row in ROWS}
PLAIN = BY_ID["tt822-default"]


def reread(changes, *, without=(), base=PLAIN):
    row = {name: value for name, value in base.items() if name not in without} | changes
    return read_row(row)


SAME = [
    ({"n_layers": 32, "dim": 4096, "n_heads": "32"}, ("layers", "hidden", "heads")),
    ({"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
      "intermediate_size": 14_336, "vocab_size": "128,256"}, ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab")),
    ({"world_size": 8.0, "batch_size": 1, "sequence_length": "8192"}, ("gpus", "local_batch", "seq_len")),
    ({"GPU": "NVIDIA H100 96GB HBM2e"}, ("gpu_type",)),
    ({"mesh": {"FSDP": "8"}}, ()),
    ({"mesh": "dp_shard=8"}, ()),
    ({"mesh": None}, ()),
    ({"precision": {"param": "torch.bfloat16", "reduce": "float32", "master": "FP32"}}, ()),
    ({"dtype": "bfloat16"}, ("precision",)),
    ({"mixed_precision": "bf16"}, ("precision",)),
    ({"optim": "adamw (foreach)"}, ("optimizer",)),
    ({"optimizer": None}, ()),
    ({"activation_checkpointing": "selective_op"}, ("ac",)),
    ({"ac": "SAC (per op)"}, ()),
    ({"ac": {"mode": "selective", "selective_ac_option": "op"}}, ()),
    ({"torch_compile": "no"}, ("compile",)),
    ({"cpu_offload": "none"}, ()),
    ({"reshard": "always"}, ()),
    ({"reshard_after_forward": True}, ("reshard",)),
    ({"loss": "cross entropy in fp32"}, ()),
    ({"peft": "none", "float8": False}, ()),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "without"), SAME)
def test_other_words_for_the_same_run(changes, without):
    expected, found = read_row(PLAIN), reread(changes, without=without)
    assert found.setup == expected.setup
    assert found.shape == expected.shape
    assert not found.unsupported


WORDS = [
    ({"ac": "full"}, {"ac": "full"}),
    ({"ac": True}, {"ac": "full"}),
    ({"ac": "every 2nd layer"}, {"ac": "every_k", "ac_every": 2}),
    ({"ac": "selective-layer"}, {"ac": "every_k", "ac_every": 2}),
    ({"ac": "none?"}, {"ac": "none"}),
    ({"reshard": "never (ZeRO-2)"}, {"reshard_after_forward": False}),
    ({"reshard": False}, {"reshard_after_forward": False}),
    ({"reshard": 4}, {"reshard_after_forward": 4}),
    ({"strategy": "SHARD_GRAD_OP"}, {"reshard_after_forward": False}),
    ({"strategy": "NO_SHARD", "mesh": {}}, {"fsdp": 0, "dp_replicate": 8, "dp_shard": 1}),
    ({"mesh": {"dp_shard": 4, "tensor_parallel": 2}}, {"dp_shard": 4, "tp": 2}),
    ({"mesh": {"replicate": 2, "shard": 4}}, {"dp_replicate": 2, "dp_shard": 4}),
    ({"mesh": {"dp_shard": 2, "cp": 4}}, {"dp_shard": 2, "cp": 4}),
    ({"optimizer": "PagedAdamW8bit, optimizer_in_bwd"},
     {"optimizer": "adamw_8bit", "optimizer_paged": True, "optimizer_in_backward": True}),
    ({"optimizer": "bnb 8-bit Adam"}, {"optimizer": "adamw_8bit", "optimizer_paged": False}),
    ({"optimizer": "SGD with momentum"}, {"optimizer": "sgd_momentum"}),
    ({"optimizer": "AdamW fused"}, {"optimizer": "adamw", "optimizer_impl": "fused"}),
    ({"optimizer": "Muon"}, {"optimizer": "muon"}),
    ({"peft": "LoRA r16 q,k,v,o"}, {"lora_rank": 16, "lora_targets": ("q_proj", "k_proj", "v_proj", "o_proj")}),
    ({"peft": "LoRA rank=8 (q, v)"}, {"lora_rank": 8, "lora_targets": ("q_proj", "v_proj")}),
    ({"peft": {"type": "qlora", "r": 64, "targets": ["q_proj"]}}, {"lora_rank": 64, "base_bits": 4}),
    ({"peft": "QLoRA NF4 r64 all-linear"}, {"lora_rank": 64, "base_bits": 4, "lora_targets": ()}),
    ({"float8": "tensorwise fp8 AG"}, {"float8": "tensorwise", "float8_all_gather": True}),
    ({"float8": True}, {"float8": "tensorwise", "float8_all_gather": False}),
    ({"fp8": "rowwise"}, {"float8": "rowwise"}),
    ({"loss": "chunked CE (16)"}, {"loss_impl": "chunked", "loss_chunks": 16}),
    ({"loss": "Liger fused linear CE"}, {"loss_impl": "fused_linear"}),
    ({"loss": "compiled CE"}, {"loss_impl": "compiled"}),
    ({"precision": {"param": "bf16-true"}}, {"param_dtype": "bf16", "master_dtype": "bf16"}),
    ({"precision": {"param": "half", "reduce": "fp16", "master": "fp32"}},
     {"param_dtype": "fp16", "reduce_dtype": "fp16"}),
    ({"precision": {"param": "fp32 shard + bf16 autocast", "master": "fp32"}},
     {"autocast": True, "param_dtype": "bf16"}),
    ({"gradient_accumulation_steps": 4}, {"grad_accum": 4}),
    ({"activation_offloading": "yes"}, {"act_offload": True}),
    ({"mesh": {"pp": 2, "dp_shard": 4}, "local_batch": 8}, {"pp": 2, "micro_batch": 4, "grad_accum": 2}),
    ({"mesh": {"pp": 2, "dp_shard": 4}, "local_batch": 8, "schedule": "Interleaved1F1B"},
     {"pp_schedule": "interleaved_1f1b", "micro_batch": 2, "grad_accum": 4}),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), WORDS)
def test_words_become_settings(changes, expected):
    setup = reread(changes, without=("settings",)).setup  # which would be more specific
    assert {name: getattr(setup, name) for name in expected} == expected


def test_sizes_may_come_from_a_known_name_or_a_config():
    sizes = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab", "tied", "params")
    named = reread({"model": "meta-llama/Meta-Llama-3-8B"}, without=sizes)
    assert named.shape.params == 8_030_261_248
    assert "by its name" in named.assumptions[0]
    config = {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
              "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}  # fmt: skip
    assert reread({"config": config}, without=sizes).shape.params == 8_030_261_248
    unknown = reread({"model": "Somebody-8B"}, without=sizes)
    assert "not given: layers, hidden, heads, ffn, vocab" in unknown.unsupported


def test_quirks_follow_from_the_stated_parameters_not_from_the_name():
    # Qwen2.5-7B: biases on query, key and value; its published number of parameters is 7,615,616,512
    sizes = {"layers": 28, "hidden": 3584, "heads": 28, "kv_heads": 4, "head_dim": 128, "ffn": 18944, "vocab": 152064}
    found = reread(sizes | {"params": 7_615_616_512, "model": "A"})
    assert found.shape.qkv_bias
    assert found.shape.params == 7_615_616_512
    assert any("qkv_bias" in line for line in found.assumptions)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"local_batch": None}, "not given: local_batch"),
        ({"note": "memory leaks 2 GiB a step"}, "not a steady state"),
        ({"confidence": "low (batch unknown)"}, "uncertain"),
        ({"framework": "torchtitan SimpleFSDP"}, "SimpleFSDP"),
        ({"framework": "DeepSpeed ZeRO-3"}, "not FSDP"),
        ({"optimizer": "Shampoo"}, "Shampoo"),
    ],
)
def test_what_is_not_predicted_says_why(changes, reason):
    result = estimate_row(PLAIN | changes)
    assert result["reserved_gib"] is None
    assert any(reason in line for line in result["unsupported"])


def test_a_note_that_a_leak_is_gone_is_no_leak():
    assert estimate_row(PLAIN | {"note": "no leak any more"})["reserved_gib"] is not None


def test_an_open_setting_that_decides_the_prediction_is_named_with_both_ends():
    result = estimate_row(BY_ID["tune-405b-qlora"])
    assert "act_offload is not stated: 4" in result["unsupported"][0]
    closed = estimate_row(BY_ID["tune-405b-qlora"] | {"activation_offload": False})
    assert closed["reserved_gib"] > 55


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.floats(), st.text(max_size=30),
    st.lists(st.integers(), max_size=2), st.dictionaries(st.sampled_from(["param", "tp", "pp", "r", "x"]), st.text()),
)  # fmt: skip


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(sorted(PLAIN)), VALUES, st.sampled_from(sorted(PLAIN)), VALUES)
def test_no_value_crashes_the_reader(first, one, second, two):
    row = PLAIN | {"layers": 2, "params": None} | {first: one, second: two}
    with suppress(InputError):
        json.dumps(estimate_row(row))
