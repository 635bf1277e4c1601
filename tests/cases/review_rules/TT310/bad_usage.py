"""Llama 3 70B. NNODES=2 NGPU=8 MODULE=llama3 CONFIG=llama_70b ./run_train.sh"""

from torchtitan.config import ParallelismConfig, TrainingConfig
from torchtitan.trainer import Trainer


def llama_70b() -> Trainer.Config:
    return Trainer.Config(
        training=TrainingConfig(steps=1000),
        parallelism=ParallelismConfig(
            data_parallel_replicate_degree=2,  # <- TT310
            data_parallel_shard_degree=4,
            tensor_parallel_degree=4,
        ),
    )
