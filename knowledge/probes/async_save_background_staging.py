"""With a stager that copies in the background, async_save returns two futures; the first guards the weights."""

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, shard
from torch.distributed.checkpoint.staging import DefaultStager, StagingOptions
from torch.distributed.checkpoint.state_dict_saver import AsyncSaveResponse


def probe(rank, world_size):
    """Wait for staging, change the weights, wait for the upload."""
    assert StagingOptions() == StagingOptions(True, True, True, True)
    net = shard(Net())
    with torch.no_grad():
        net.head.weight.to_local().fill_(1)
    options = StagingOptions(
        use_pinned_memory=False, use_shared_memory=False, use_async_staging=True, use_non_blocking_copy=False
    )
    stager = DefaultStager(options)
    response = dcp.async_save(net.state_dict(), checkpoint_id="ckpt", async_stager=stager)
    assert isinstance(response, AsyncSaveResponse)
    response.staging_completion.result()
    with torch.no_grad():
        net.head.weight.to_local().fill_(2)
    response.upload_completion.result()
    stager.close()
    dist.barrier()
    dcp.load(net.state_dict(), checkpoint_id="ckpt")
    assert bool((net.head.weight.full_tensor() == 1).all())
    return {"returns": "AsyncSaveResponse(staging_completion, upload_completion)", "saved": "the weights before"}
