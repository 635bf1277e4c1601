"""The flight recorder runs by default and keeps the last collectives, on gloo too."""

import json

import torch
import torch.distributed as dist


def probe(rank, world_size):
    """Do three collectives and read the recorder."""
    for size in (3, 5, 7):
        dist.all_reduce(torch.ones(size))
    trace = json.loads(torch._C._distributed_c10d._dump_fr_trace_json())
    entries = [entry for entry in trace["entries"] if entry["profiling_name"] == "gloo:all_reduce"]
    assert [entry["input_sizes"] for entry in entries] == [[[3]], [[5]], [[7]]], entries
    numbers = [entry["collective_seq_id"] for entry in entries]
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2], numbers
    assert {entry["timeout_ms"] for entry in entries} == {20000}, entries
    return {"recorded without any variable set": "operation, sizes, sequence number, time-out of each collective"}
