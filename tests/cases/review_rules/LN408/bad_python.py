import os

import torch.distributed

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"  # <- LN408
