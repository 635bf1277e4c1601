"""The model of a dry run: built without memory, checkpointed and sharded by the real `fully_shard`."""

import contextlib
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from fsdp_dryrun_checkpointing import checkpoint_blocks
from fsdp_dryrun_config import Dryrun
from fsdp_dryrun_loss import fuse_head
from fsdp_sft_config import ConfigError
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


def build_model(run: Dryrun, layers: int | None = None) -> nn.Module:
    """Return the model on the meta device, in training mode.

    Args:
        run: Names its configuration or its factory.
        layers: Layers in place of the configuration's; None: its own number.

    Raises:
        ConfigError: It cannot be built.
    """
    model = _from_factory(run) if run.factory else _from_config(run, layers)
    return model.to(DTYPES[run.master_dtype]).train()


def _from_config(run: Dryrun, layers: int | None) -> nn.Module:
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    assert run.config is not None, "checked when it was read"
    chosen = {} if run.attention == "auto" else {"attn_implementation": run.attention}
    try:
        fields = json.loads(Path(run.config).read_text("utf-8"))
        shape = CONFIG_MAPPING[fields["model_type"]].from_dict(fields)
        text = shape.get_text_config()
        if layers is not None:
            _shorten(text, layers)
        text.use_cache = False
        with torch.device("meta"):
            model: nn.Module = AutoModelForCausalLM.from_config(
                text, dtype=DTYPES[run.master_dtype], trust_remote_code=False, **chosen
            )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise ConfigError(f"transformers builds no causal language model of {run.config}: {error}") from error
    return model


def _shorten(shape: Any, layers: int) -> None:
    """Leave a configuration its first layers only."""
    kinds = getattr(shape, "layer_types", None)
    if isinstance(kinds, list):
        shape.layer_types = kinds[:layers]
    shape.num_hidden_layers = layers


def _from_factory(run: Dryrun) -> nn.Module:
    assert run.factory is not None, "checked when it was read"
    module, _, name = run.factory.partition(":")
    if run.folder:
        sys.path.insert(0, run.folder)
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"factory {run.factory!r}: {error}") from error
    with torch.device("meta"):
        model = function()
    if not isinstance(model, nn.Module):
        raise ConfigError(f"factory {run.factory!r} returned a {type(model).__name__}, not a torch.nn.Module")
    return model


def blocks_of(model: nn.Module) -> list[nn.Module]:
    """Return the decoder blocks in order: the longest list of modules of one class.

    Raises:
        ConfigError: There is none.
    """
    best: list[nn.Module] = []
    for module in model.modules():
        if isinstance(module, nn.ModuleList | nn.ModuleDict):
            children = list(module.children())
            # the outermost of equally long ones comes first (experts lie within blocks)
            if len(children) > len(best) and not any(module is inner for block in best for inner in block.modules()):
                best = children
    if not best:
        raise ConfigError(f"{type(model).__name__} has no list of blocks (torch.nn.ModuleList) to shard")
    return best


def shard_model(model: nn.Module, mesh: DeviceMesh, run: Dryrun, device: torch.device) -> list[nn.Module]:
    """Apply checkpointing and `fully_shard`, then allocate the shards; returns the blocks."""
    blocks = blocks_of(model)
    if run.loss_impl == "fused_linear":
        fuse_head(_ends(model)[2], run)
    checkpoint_blocks(blocks, run)
    precision = MixedPrecisionPolicy(DTYPES[run.param_dtype], DTYPES[run.reduce_dtype])
    offload = CPUOffloadPolicy(pin_memory=False) if run.cpu_offload else OffloadPolicy()
    common: dict[str, Any] = {"mesh": mesh, "mp_policy": precision, "offload_policy": offload}
    reshard = run.reshard_after_forward
    if run.wrap == "emb_blocks_head":
        embedding, norm, head = _ends(model)
        if embedding.weight is not head.weight:
            fully_shard(embedding, reshard_after_forward=reshard, **common)
            fully_shard([norm, head], reshard_after_forward=reshard and run.reshard_last, **common)
    if run.wrap != "root":
        for block in blocks:
            kept = block is blocks[-1] and run.wrap == "blocks_root" and not run.reshard_last
            fully_shard(block, reshard_after_forward=False if kept else reshard, **common)
    # the default of the root is not to reshard: the backward needs it first
    fully_shard(model, **({"reshard_after_forward": reshard} if run.root_reshard else {}), **common)
    model.to_empty(device=torch.device("cpu") if run.cpu_offload else device)
    _bring(model, device)
    return blocks


def _ends(model: nn.Module) -> tuple[Any, Any, Any]:
    """Return embedding, final norm and output head.

    Raises:
        ConfigError: They cannot be told.
    """
    embedding = next((module for module in model.modules() if isinstance(module, nn.Embedding)), None)
    linears = [module for module in model.modules() if isinstance(module, nn.Linear)]
    inner = {id(module) for block in blocks_of(model) for module in block.modules()}
    outer = [module for module in model.modules() if id(module) not in inner and not list(module.children())]
    norms = [module for module in outer if "norm" in type(module).__name__.lower()]
    head = linears[-1] if linears and id(linears[-1]) not in inner else None
    if embedding is None or head is None or not norms:
        raise ConfigError(f"embedding, final norm and output head of {type(model).__name__} cannot be told apart")
    return embedding, norms[-1], head


def _bring(model: nn.Module, device: torch.device) -> None:
    """Put buffers, and tensors that modules hold beside them, on the device."""
    for module in model.modules():
        for name, buffer in list(module._buffers.items()):
            if buffer is not None:
                module._buffers[name] = torch.empty_like(buffer, device=device)
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor) and value.device.type == "meta":
                setattr(module, name, torch.empty_like(value, device=device))


def start_states(model: Any) -> dict[int, str]:
    """Let FSDP finish its setting up before the first step; returns the streams' names by number."""
    state = fully_shard.state(model)
    state._lazy_init()
    context = state._comm_ctx
    names = {
        "all_gather_copy_in_stream": "all_gather",
        "all_gather_stream": "all_gather_communication",
        "reduce_scatter_stream": "reduce_scatter",
        "all_reduce_stream": "all_reduce",
    }
    found = {getattr(context, attribute): name for attribute, name in names.items() if hasattr(context, attribute)}
    return {0: "default"} | {stream.stream_id: name for stream, name in found.items() if hasattr(stream, "stream_id")}


def synchronize_gradients(model: nn.Module, wanted: bool) -> None:
    """Let this backward reduce its gradients, or leave them unsharded."""
    assert isinstance(model, FSDPModule)
    model.set_requires_gradient_sync(wanted)


@contextlib.contextmanager
def whole_rows() -> Iterator[None]:
    """Let transformers take each row of a batch for one sequence, without looking at its content."""
    try:
        from transformers import masking_utils
    except ImportError:
        yield
        return
    looked_for = getattr(masking_utils, "find_packed_sequence_indices", None)
    if looked_for is None:
        yield
        return
    masking_utils.find_packed_sequence_indices = lambda position_ids: None  # noqa: ARG005 - called by name
    try:
        yield
    finally:
        masking_utils.find_packed_sequence_indices = looked_for
