from torchtitan.config import ParallelismConfig, JobConfig


def llama_debug():
    par = ParallelismConfig(data_parallel_shard_degree=0, tensor_parallel_degree=2)  # <- TT310
    return par
