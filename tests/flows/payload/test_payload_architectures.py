"""Model classes of transformers that load into shards, and one kind that is refused."""

import json
from pathlib import Path

import pytest
import torch
import transformers

pytestmark = [pytest.mark.train, pytest.mark.slow]

SHAPE = {
    **{"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2},
    **{"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64},
    **{"pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 1},
}
SCALED = {"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
OPT = {"vocab_size": 64, "hidden_size": 32, "ffn_dim": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
CONFIGS = {
    "llama3_rope": ("LlamaConfig", SHAPE | {"rope_parameters": SCALED | {"original_max_position_embeddings": 32}}),
    "qwen2": ("Qwen2Config", SHAPE),
    "qwen3_tied": ("Qwen3Config", SHAPE | {"head_dim": 8, "tie_word_embeddings": True}),
    "mistral": ("MistralConfig", SHAPE),
    "gemma2": ("Gemma2Config", SHAPE | {"head_dim": 8}),
    "gemma3": ("Gemma3TextConfig", SHAPE | {"head_dim": 8}),
    "phi3": ("Phi3Config", SHAPE),
    "olmo2": ("Olmo2Config", SHAPE),
    "granite": ("GraniteConfig", SHAPE),
    "bloom": ("BloomConfig", {"vocab_size": 64, "hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "opt": ("OPTConfig", OPT | {"max_position_embeddings": 64, "word_embed_proj_dim": 32, "dropout": 0.0}),
    "mixtral": ("MixtralConfig", SHAPE | {"num_local_experts": 2}),
}


@pytest.fixture(scope="module")
def results(module_torchrun, tmp_path_factory):
    """For each name what both ranks found."""
    root = tmp_path_factory.mktemp("architectures")
    for name, (kind, shape) in CONFIGS.items():
        torch.manual_seed(0)
        config = getattr(transformers, kind)(**shape)
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(root / name)
    (root / "folders.json").write_text(json.dumps([str(root / name) for name in CONFIGS]))
    script = Path(__file__).parent / "logits.py"
    done = module_torchrun.run(2, script, root / "folders.json", root / "results.json", run_dir=root)
    assert done.returncode == 0, done.stderr[-4000:]
    ranks = [json.loads((root / f"results.{rank}").read_text()) for rank in range(2)]
    return {name: [found[str(root / name)] for found in ranks] for name in CONFIGS}


@pytest.mark.parametrize("name", [name for name in CONFIGS if name != "mixtral"])
def test_logits_are_those_of_from_pretrained(results, name):
    assert all(isinstance(found, float) and found < 1e-5 for found in results[name]), results[name]


def test_a_mixture_of_experts_that_is_merged_while_loading_is_refused(results):
    assert all("most mixtures of experts) is not supported" in found for found in results["mixtral"])
