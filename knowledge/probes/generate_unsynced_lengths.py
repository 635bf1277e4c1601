"""transformers' generate on a sharded model: with synced_gpus all ranks forward until the last is done."""

import torch
from torch.distributed.fsdp import fully_shard
from transformers import LlamaConfig, LlamaForCausalLM

REQUIRES = ("transformers",)


def _model():
    config = LlamaConfig(
        vocab_size=32,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        eos_token_id=1,
        pad_token_id=0,
        bos_token_id=2,
    )
    torch.manual_seed(0)
    net = LlamaForCausalLM(config).eval()
    for layer in net.model.layers:
        fully_shard(layer)
    return fully_shard(net)


def probe(rank, world_size):
    """Rank 0 generates 2 tokens, rank 1 six, and both count their forward passes."""
    net = _model()
    calls = [0]
    net.register_forward_hook(lambda *_: calls.__setitem__(0, calls[0] + 1))
    prompt = torch.tensor([[2, 5 + rank, 7]])
    length = 2 if rank == 0 else 6
    out = net.generate(prompt, max_new_tokens=length, min_new_tokens=length, do_sample=False)
    assert out.shape == (1, 3 + length), out.shape
    assert calls[0] >= 6, calls
    return {
        "new tokens": [2, 6],
        "forward passes on both ranks": "at least 6: synced_gpus is on by default for FSDP models",
    }
