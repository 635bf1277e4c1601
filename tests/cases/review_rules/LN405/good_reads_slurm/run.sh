#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=8
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=29400
srun --cpu-bind=cores python -u -m trainer.main --config base.yaml
