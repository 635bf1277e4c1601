import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint import FileSystemReader


def load(state, path):
    dcp.load(state, storage_reader=FileSystemReader(path))
