"""Parameter counts against the published ones and against the real model classes."""

import pytest

from engines.sizing.hf_config import from_config, named_shape
from knowledge.shapes import named_shapes


@pytest.mark.parametrize("stem", sorted(named_shapes()))
def test_named_shape_has_the_published_number_of_parameters(stem):
    published = named_shapes()[stem]
    assert from_config(published.config, published.name).params == published.params


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama-3-8B"),
        ("llama 3.1 70B", "Llama-3-70B"),
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen2.5-7B"),
        ("Phi-3-mini-4k-instruct", "Phi-3-mini"),
    ],
)
def test_names_are_found_in_the_spellings_that_people_use(name, means):
    assert named_shape(name).name == means


def test_active_parameters_of_a_mixture():
    # Mistral AI states 12.9 B active of 46.7 B for Mixtral-8x7B.
    assert named_shape("mixtral-8x7b").active_params / 1e9 == pytest.approx(12.9, abs=0.05)


TINY = {
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 160,
    "vocab_size": 384,
}
MIXTURE = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 48}
LATENT = {
    "num_key_value_heads": 4,
    "q_lora_rank": 24,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 8,
    "v_head_dim": 12,
    "n_routed_experts": 8,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "first_k_dense_replace": 1,
}


@pytest.mark.parametrize(
    ("family", "extra"),
    [
        ("llama", {"attention_bias": True, "mlp_bias": True}),
        ("llama", {"tie_word_embeddings": True, "head_dim": 24}),
        ("mistral", {}),
        ("mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2}),
        ("qwen2", {}),
        ("qwen2_moe", MIXTURE | {"shared_expert_intermediate_size": 96}),
        ("qwen3", {"attention_bias": True}),
        ("qwen3_moe", MIXTURE | {"decoder_sparse_step": 2}),
        ("gemma", {}),
        ("gemma2", {}),
        ("gemma3_text", {}),
        ("phi", {"num_key_value_heads": 4}),
        ("phi3", {"pad_token_id": 0}),
        ("deepseek_v2", LATENT | {"q_lora_rank": None}),
        ("deepseek_v3", LATENT | {"n_group": 2, "topk_group": 1}),
    ],
)
def test_counts_equal_those_of_the_real_class(family, extra):
    torch = pytest.importorskip("torch", reason="the oracle is transformers' own model")
    transformers = pytest.importorskip("transformers", reason="the oracle is transformers' own model")
    fields = TINY | extra
    config = transformers.AutoConfig.for_model(family, **fields)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    assert from_config({"model_type": family} | fields).params == sum(p.numel() for p in model.parameters())


def test_a_family_that_is_not_known_is_read_as_llama_and_says_so():
    shape = from_config({"model_type": "novel"} | TINY)
    assert shape.params == from_config({"model_type": "llama"} | TINY).params
    assert "novel" in shape.notes[0]
