"""transformers shards at load time: from_pretrained with DistributedConfig(fsdp_size=...) gives an FSDP2 model."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.distributed import DistributedConfig

REQUIRES = ("transformers",)
TIMEOUT_S = 120


def probe(rank, world_size):
    """Save a tiny model, load it sharded over the ranks, train a step."""
    config = LlamaConfig(
        vocab_size=32,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
    )
    whole = LlamaForCausalLM(config)
    if rank == 0:
        whole.save_pretrained("model")
    dist.barrier()
    model = LlamaForCausalLM.from_pretrained("model", distributed_config=DistributedConfig(fsdp_size=world_size))
    units = [name or "root" for name, module in model.named_modules() if isinstance(module, FSDPModule)]
    assert "model.layers.0" in units, units
    weight = model.model.layers[0].mlp.up_proj.weight
    assert isinstance(weight, DTensor)
    assert weight.to_local().shape[0] == weight.shape[0] // world_size
    ids = torch.arange(8)[None] + rank
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = weight.full_tensor().clone()
    model(ids, labels=ids).loss.backward()
    optimizer.step()
    assert not torch.equal(before, model.model.layers[0].mlp.up_proj.weight.full_tensor())
    return {"units": units}
