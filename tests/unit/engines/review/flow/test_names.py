"""One canonical name for every import path; namesakes of other libraries stay apart."""

import pytest

from engines.review.flow.names import FSDP1, FULLY_SHARD, GRAD_SCALER, INIT_MESH, canonical


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("torch.distributed.fsdp.fully_shard", FULLY_SHARD),
        ("torch.distributed._composable.fsdp.fully_shard", FULLY_SHARD),
        ("torch.distributed._composable.fsdp.fully_shard.fully_shard", FULLY_SHARD),
        ("torch.distributed.fsdp._fully_shard._fully_shard.fully_shard", FULLY_SHARD),
        ("torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel", FSDP1),
        ("torch.cuda.amp.GradScaler", GRAD_SCALER),
        ("torch.distributed.init_device_mesh", INIT_MESH),
        ("torch.optim.adamw.AdamW", "torch.optim.AdamW"),
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("pytorch_lightning.strategies.FSDPStrategy", "lightning.pytorch.strategies.FSDPStrategy"),
        ("torch.distributed.checkpoint.state_dict_saver.save", "torch.distributed.checkpoint.save"),
    ],
)
def test_canonical(raw: str, name: str) -> None:
    assert canonical(raw) == name


@pytest.mark.parametrize(
    "raw",
    [
        "megatron_fsdp.fully_shard",
        "fairscale.nn.FullyShardedDataParallel",
        "torch.distributed._composable.fully_shard",
        "project.fsdp.fully_shard",
    ],
)
def test_namesakes(raw: str) -> None:
    assert canonical(raw) not in (FULLY_SHARD, FSDP1)
