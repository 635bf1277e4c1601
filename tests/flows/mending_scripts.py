"""Scripts that fail in known ways within a second: what they say is what the real thing says, without torch."""

from pathlib import Path
from typing import Any

STAND_IN = '''"""Stands for torch.utils.data: a loader that remembers its workers."""


class DataLoader:
    def __init__(self, data, num_workers=0):
        self.data, self.num_workers = data, num_workers

    def __iter__(self):
        return iter(self.data)
'''
BUS_ERROR = (
    "DataLoader worker (pid 4711) is killed by signal: Bus error. It is possible that dataloader's workers are out of "
    "shared memory. Please try to raise your shared memory limit."
)
OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.15 GiB "
    "of which 3.21 GiB is free. Of the allocated memory 70.11 GiB is allocated by PyTorch, and 1.02 GiB is reserved by "
    "PyTorch but unallocated. fully_shard"
)
LOADING = f'''"""Trains; its loader's workers are ended from outside."""

import sys

from data import DataLoader

loader = DataLoader(range(4), num_workers=2)
if loader.num_workers:
    raise RuntimeError("""{BUS_ERROR}""")
for step in loader:
    print("step", step, *sys.argv[1:], flush=True)
'''
LOADING_THEN_MEMORY = (
    LOADING + f'if int(sys.argv[1].partition("=")[2]) > 16:\n    raise MemoryError("""{OUT_OF_MEMORY}""")\n'
)
NEVER_ENOUGH = f'import sys\nprint("step 1", sys.argv, flush=True)\nraise MemoryError("""{OUT_OF_MEMORY}""")\n'
NOBODY_KNOWS = 'print("step 1", flush=True)\nraise ValueError("the moon is in the seventh house")\n'


def request_of(folder: Path, body: str, *args: str) -> dict[str, Any]:
    """Write a script, and return the request that runs it on one rank."""
    (folder / "data.py").write_text(STAND_IN)
    script = folder / "train.py"
    script.write_text(body)
    return {
        "intent": "run",
        "script": {"path": str(script), "launcher": "direct", "args": list(args)},
        "hardware": {"device": "cpu"},
    }
