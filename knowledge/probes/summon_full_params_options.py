"""Which options of FSDP1's summon_full_params go together."""

import warnings

import torch
from _lab import Net, raises
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def probe(rank, world_size):
    """Try the pairs."""
    net = FSDP(Net(), device_id=torch.device("cpu"), use_orig_params=True)

    def summon(**options):
        with FSDP.summon_full_params(net, **options):
            return tuple(net.module.head.weight.shape)

    message = raises(NotImplementedError, "writeback=True and rank0_only=True", lambda: summon(rank0_only=True))
    assert summon(rank0_only=True, writeback=False) == ((8, 8) if rank == 0 else net.module.head.weight.shape)
    with FSDP.summon_full_params(net):
        net.module.head.weight.data.fill_(3)
    with FSDP.summon_full_params(net):
        assert bool((net.module.head.weight == 3).all()), "writeback is the default"
    with FSDP.summon_full_params(net, writeback=False):
        net.module.head.weight.data.fill_(4)
    with FSDP.summon_full_params(net):
        assert bool((net.module.head.weight == 3).all())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            outcome = summon(offload_to_cpu=True, writeback=False)
        except RuntimeError as error:
            outcome = str(error)[:60]
    assert any("risks CPU OOM" in str(warning.message) for warning in said)
    return {"writeback + rank0_only": message, "offload_to_cpu on CPU": str(outcome)}
