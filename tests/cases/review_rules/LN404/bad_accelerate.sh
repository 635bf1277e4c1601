#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8  # <- LN404
srun accelerate launch --num_processes 16 --num_machines 2 --machine_rank $SLURM_NODEID --main_process_ip $head train.py
