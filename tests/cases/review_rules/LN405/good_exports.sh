#!/bin/bash
#SBATCH --job-name=fsdp
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)
srun bash -c "export RANK=\$SLURM_PROCID; python train.py"
