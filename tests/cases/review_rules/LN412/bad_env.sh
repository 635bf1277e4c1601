GPUS=0,1,2
env CUDA_VISIBLE_DEVICES=$GPUS torchrun --standalone --nproc-per-node 4 train.py  # <- LN412
