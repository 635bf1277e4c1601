#!/bin/bash
#SBATCH --nodes=4
TENSOR=4
FLAGS=(
  --parallelism.data_parallel_replicate_degree=1
  --parallelism.data_parallel_shard_degree=8
  --parallelism.tensor_parallel_degree=$TENSOR
  --parallelism.context_parallel_degree=1
  --parallelism.pipeline_parallel_degree=1
)
srun --ntasks-per-node=1 torchrun --nnodes=4 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-id=7 \
  --rdzv-endpoint="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1):29500" -m torchtitan.train "${FLAGS[@]}"
