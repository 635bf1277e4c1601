"""What a block keeps for its backward: by the published formulas, and as torch keeps it."""

import pytest

from engines.sizing.decoder import record_block
from engines.sizing.hf_config import from_config, named_shape
from engines.sizing.setup import make_setup


def kept_bytes(shape, setup, *, checkpointed=False):
    """Bytes that are alive after the forward, without the result."""
    looks_back = shape.looks_back(0)
    piece = record_block(shape, setup, mixture=shape.is_mixture(0), checkpointed=checkpointed, looks_back=looks_back)
    alive = {piece.source: setup.residual_bytes * setup.tokens * shape.hidden}
    for slot, size in piece.forward:
        if size:
            alive[slot] = size
        else:
            del alive[slot]
    alive.pop(piece.result)
    return sum(alive.values())


# Llama-3-8B: hidden, query, key-value and feed-forward widths, heads
D, Q, KV, F, H = 4096, 4096, 1024, 14336, 32


@pytest.mark.parametrize(
    ("settings", "bytes_per_token"),
    [
        ({"norm_kernel": "decomposed"}, 16 * D + 8 * Q + 8 * F + 4 * H),
        ({"compile": True}, 8 * D + 8 * Q + 6 * F + 4 * H),
        ({"ac": "selective_op"}, 4 * D + 4 * Q + 2 * KV + 2 * F + 4 * H),
        ({"ac": "selective_op", "compile": True}, 2 * D + 4 * Q + 2 * KV + 2 * F + 4 * H),
        ({"ac": "full"}, 2 * D),
        # without the attention's result and sums, where the policy does not know the kernel
        ({"ac": "selective_op", "attention_kept": False}, 4 * D + 2 * Q + 2 * KV + 2 * F),
    ],
)
def test_bytes_per_token_of_torchtitans_block(settings, bytes_per_token):
    setup = make_setup(ranks=8, seq_len=2048, model_code="torchtitan", **settings)
    kept = kept_bytes(named_shape("llama-3-8b"), setup, checkpointed="ac" in settings)
    assert kept == 2048 * bytes_per_token


@pytest.mark.parametrize("ac", ["none", "full", "selective_op"])
@pytest.mark.parametrize("name", ["llama-3-8b", "qwen3-8b", "gemma-2-9b", "phi-4", "mixtral-8x7b", "deepseek-v3"])
def test_a_replayed_block_leaves_nothing_behind(name, ac):
    shape = named_shape(name)
    setup = make_setup(ranks=8, seq_len=512, ac=ac, tp=2)
    for mixture in {shape.is_mixture(layer) for layer in range(shape.layers)}:
        piece = record_block(shape, setup, mixture=mixture, checkpointed=ac != "none")
        alive = {piece.source}
        for slot, size in piece.forward:
            alive.add(slot) if size else alive.remove(slot)
        alive.remove(piece.result)
        alive.add(piece.grad_in)
        for slot, size in piece.backward:
            alive.add(slot) if size else alive.remove(slot)
        assert alive == {piece.grad_out, *piece.weight_grads}


BASE = {
    "hidden_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "intermediate_size": 704,
    "vocab_size": 512,
    "max_position_embeddings": 1024,
}
EXPERTS = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 192}
FAMILIES = {
    "llama": {},
    "mistral": {"sliding_window": 128},
    "qwen2": {},
    "qwen3": {"head_dim": 32},
    "gemma": {"head_dim": 32},
    "gemma2": {"head_dim": 32},
    "gemma3_text": {"head_dim": 32, "sliding_window": 128},
    "phi": {"num_key_value_heads": 8},
    "phi3": {"pad_token_id": 0},
    "mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2},
    "qwen2_moe": EXPERTS | {"shared_expert_intermediate_size": 384},
    "qwen3_moe": EXPERTS | {"head_dim": 32},
    "deepseek_v3": {
        "num_key_value_heads": 8,
        "q_lora_rank": 96,
        "kv_lora_rank": 64,
        "qk_nope_head_dim": 32,
        "qk_rope_head_dim": 16,
        "v_head_dim": 48,  # equal to the keys', else attention on the CPU has no fused kernel
        "n_routed_experts": 8,
        "n_shared_experts": 1,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 96,
        "first_k_dense_replace": 0,
        "n_group": 2,
        "topk_group": 1,
    },
}


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_kept_bytes_equal_those_of_the_real_model(family, dtype):
    torch = pytest.importorskip("torch", reason="the oracle is torch's own autograd")
    transformers = pytest.importorskip("transformers", reason="the oracle is transformers' own model")
    fields, batch, length = BASE | FAMILIES[family], 2, 384
    config = transformers.AutoConfig.for_model(family, **fields)
    config._attn_implementation = "eager" if family == "gemma2" else "sdpa"
    model = transformers.AutoModelForCausalLM.from_config(config).to(getattr(torch, dtype))
    real = bytes_saved_by_autograd(torch, model, torch.randint(0, 512, (batch, length)))
    shape = from_config({"model_type": family} | fields)
    setup = make_setup(
        ranks=1,
        micro_batch=batch,
        seq_len=length,
        param_dtype="bf16" if dtype == "bfloat16" else "fp32",
        norm_kernel="decomposed",
    )
    assert kept_bytes(shape, setup) == pytest.approx(real, rel=0.01)


def test_kept_bytes_under_autocast_equal_those_of_the_real_model():
    torch = pytest.importorskip("torch", reason="the oracle is torch's own autograd")
    transformers = pytest.importorskip("transformers", reason="the oracle is transformers' own model")
    batch, length = 2, 512
    model = transformers.AutoModelForCausalLM.from_config(transformers.AutoConfig.for_model("llama", **BASE))
    with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):  # FSDP's parameters are never cached
        real = bytes_saved_by_autograd(torch, model, torch.randint(0, 512, (batch, length)))
    setup = make_setup(ranks=1, micro_batch=batch, seq_len=length, autocast=True)
    assert kept_bytes(from_config({"model_type": "llama"} | BASE), setup) == pytest.approx(real, rel=0.01)


def bytes_saved_by_autograd(torch, model, tokens):
    """Bytes of the distinct storages that the first block's nodes save, weights aside."""
    weights = {tensor.untyped_storage().data_ptr() for tensor in (*model.parameters(), *model.buffers())}
    saved, inside = {}, []

    def pack(tensor):
        storage = tensor.untyped_storage()
        if inside and storage.data_ptr() not in weights:
            saved[storage.data_ptr()] = storage  # held, so that no address comes twice
        return tensor

    block = model.model.layers[0]
    block.register_forward_pre_hook(lambda *_: inside.append(True))
    block.register_forward_hook(lambda *_: inside.clear())
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        model(input_ids=tokens, use_cache=False)
    return sum(storage.nbytes() for storage in saved.values())
