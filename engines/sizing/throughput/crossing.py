"""Crossing: how much leaves one machine over its network in an optimizer step."""

from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.fabric import Fabric
from engines.sizing.throughput.traffic import volume

_GB = 1e9


def crossing_gb(shape: ModelShape, setup: TrainingSetup, fabric: Fabric) -> float:
    """Return the bytes that leave one machine in an optimizer step, in GB (1e9 bytes).

    A ring over n ranks passes (n - 1)/n of the whole on at each of its edges, so that much
    leaves a machine for every ring that runs through it; an all-reduce does so twice. What
    stays within machines does not count, nor does the ring attention of context parallelism.

    Args:
        shape: The model.
        setup: How it is trained.
        fabric: The links; only how many ranks a machine has is read.
    """
    moved, per_node = volume(shape, setup), fabric.per_node
    left = moved.tensor_times * _ring(moved.tensor_bytes, setup.tp, 1, per_node)
    if setup.fsdp == 0:
        replicas = setup.ranks // (setup.tp * setup.pp)
        return (left + 2 * _ring(moved.all_reduced_bytes, replicas, setup.tp, per_node)) / _GB
    shard, stride = setup.shard_ranks, setup.tp
    reductions = 1 if setup.accumulate_unsharded else setup.grad_accum
    for unit in moved.units:
        left += unit.count * unit.gathers * _ring(unit.gathered_bytes, shard, stride, per_node)
        size = unit.reduced_elements * DTYPE_BYTES[setup.reduce_dtype]
        left += unit.count * reductions * _ring(size, shard, stride, per_node)
        if setup.dp_replicate > 1:
            across = _ring(size / shard, setup.dp_replicate, stride * shard, per_node)
            left += unit.count * reductions * 2 * across
    return left / _GB


def _ring(size_bytes: float, ranks: int, stride: int, per_node: int) -> float:
    """Return what leaves one machine for a collective of all the groups that have members in it."""
    local = max(1, min(ranks, per_node // stride))
    if ranks <= local:
        return 0.0
    return per_node // local * (ranks - 1) / ranks * size_bytes
