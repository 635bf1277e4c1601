import os


def main():
    os.environ.setdefault("NCCL_BLOCKING_WAIT", "1")  # <- LN406
    os.environ.update({"NCCL_ASYNC_ERROR_HANDLING": "1", "OMP_NUM_THREADS": "1"})  # <- LN406

    import torch.distributed as dist

    dist.init_process_group("nccl")


main()
