"""accelerate's FSDP2 prepare on gloo: one call, its units, fp32 upcast, swapped optimizer, accumulation, clipping."""

import torch
from _lab import Net, batch, raises
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedType, FullyShardedDataParallelPlugin
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor

REQUIRES = ("accelerate",)
TIMEOUT_S = 120


class Lm(Net):
    """Net with the accessors of a transformers model."""

    _no_split_modules = ("Block",)

    def get_input_embeddings(self):
        """Return the first layer."""
        return self.inp

    def get_output_embeddings(self):
        """Return the last layer."""
        return self.head


def on_cpu(plugin, **options):
    """Return an Accelerator that runs FSDP on CPU ranks (accelerate itself does so on accelerators only)."""
    accelerator = Accelerator(cpu=True, fsdp_plugin=plugin, **options)
    plain = accelerator.distributed_type
    accelerator.state.distributed_type = PartialState().distributed_type = DistributedType.FSDP
    accelerator.state.fsdp_plugin = plugin
    return accelerator, plain


def probe(rank, world_size):
    """Prepare a bf16 model with its optimizer; then what prepare refuses."""
    plugin = FullyShardedDataParallelPlugin(fsdp_version=2, auto_wrap_policy="TRANSFORMER_BASED_WRAP")
    accelerator, plain = on_cpu(plugin, mixed_precision="bf16", gradient_accumulation_steps=2)
    assert plain == DistributedType.MULTI_CPU, plain
    plugin.set_mixed_precision("bf16")
    model = Lm().to(torch.bfloat16)
    model.head.requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)

    seen = {"distributed_type on CPU": plain.value}
    seen["model alone"] = raises(ValueError, "must be passed together", lambda: accelerator.prepare(model))[:80]
    raises(ValueError, "must be passed together", lambda: accelerator.prepare(optimizer))
    raises(ValueError, "Only one model is supported", lambda: accelerator.prepare(model, Lm(), optimizer))

    before = {id(p) for p in model.parameters()}
    model, optimizer = accelerator.prepare(model, optimizer)
    held = [p for group in optimizer.param_groups for p in group["params"]]
    assert all(isinstance(p, DTensor) and id(p) not in before for p in held)
    assert [id(p) for p in held] == [id(p) for p in model.parameters()]
    assert model.inp.weight.dtype == torch.float32
    assert model.head.weight.dtype == torch.bfloat16
    units = [name or "root" for name, m in model.named_modules() if isinstance(m, FSDPModule)]
    assert units == ["root", "inp", "blocks.0", "blocks.1", "head"], units
    keeps = {
        n: m._get_fsdp_state()._fsdp_param_group.post_forward_mesh_info is None
        for n, m in (("inp", model.inp), ("blocks.0", model.blocks[0]), ("head", model.head))
    }
    assert keeps == {"inp": False, "blocks.0": False, "head": True}, keeps
    seen["units"] = units
    seen["dtype: trainable, frozen"] = ["float32", "bfloat16"]

    start = model.inp.weight.full_tensor().clone()
    for step in range(2):
        with accelerator.accumulate(model):
            accelerator.backward(model(batch(rank)).float().square().mean())
            if accelerator.sync_gradients:
                norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        moved = not torch.equal(start, model.inp.weight.full_tensor())
        assert moved == (step == 1), (step, moved)
    assert float(norm) > 0
    seen["clip_grad_value_"] = raises(
        Exception, "do not support `clip_grad_value_`", lambda: accelerator.clip_grad_value_(model.parameters(), 1.0)
    )[:60]
    return seen
