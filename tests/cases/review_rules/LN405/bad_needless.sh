#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
# run.py: torch.cuda.set_device(int(os.environ["LOCAL_RANK"])); dist.init_process_group("nccl")
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1) MASTER_PORT=29500
# a task for each GPU: torchrun is not needed
srun python run.py --steps 1000  # <- LN405
