"""Which torch release brought which part of the FSDP2 interface."""

import dataclasses
import inspect

import torch
import torch.distributed.fsdp as fsdp

SINCE = {
    (2, 6): (
        "method set_requires_gradient_sync",
        "method set_unshard_in_backward",
        "name register_fsdp_forward_method",
    ),
    (2, 7): ("argument ignored_params", "method set_all_reduce_hook"),
    (2, 8): (
        "method set_reshard_after_forward",
        "method set_gradient_divide_factor",
        "method set_force_sum_reduction_for_comms",
        "method set_allocate_memory_from_process_group_for_comm",
    ),
    (2, 9): ("method set_custom_all_gather", "method set_custom_reduce_scatter"),
    (2, 11): ("name share_comm_ctx",),
    (2, 12): ("argument dp_mesh_dims", "name DataParallelMeshDims", "method set_symm_mem_for_comm"),
    (2, 13): (
        "method reset_iter_state",
        "method set_reduce_scatter_unused_params",
        "method set_separate_reduce_scatter_group",
        "method set_reduce_scatter_max_input_buffers",
    ),
}


def _present(what):
    kind, name = what.split()
    if kind == "argument":
        return name in inspect.signature(fsdp.fully_shard).parameters
    return hasattr(fsdp.FSDPModule if kind == "method" else fsdp, name)


def probe(rank, world_size):
    """Compare the table with the torch that runs."""
    running = tuple(int(part) for part in torch.__version__.split(".")[:2])
    wrong = [what for since, names in SINCE.items() for what in names if _present(what) != (running >= since)]
    assert not wrong, wrong
    offload = {field.name: field.default for field in dataclasses.fields(fsdp.CPUOffloadPolicy)}
    assert offload["pin_memory"] is True, offload
    return {f"torch {'.'.join(map(str, since))}": list(names) for since, names in SINCE.items()}
