"""An estimate is interactive: 0.2 s at most, imports included, for the largest known model."""

import subprocess
import sys
import time

from engines.sizing.estimate import estimate_memory
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup

LIMIT_S = 0.2
"""Processor seconds, so that a loaded machine does not decide."""

SCRIPT = """
import time, pydantic
started = time.process_time()
from engines.sizing.estimate import estimate_memory
from engines.sizing.setup import make_setup
from engines.sizing.shape import ModelShape
shape = ModelShape(layers=32, hidden=4096, heads=32, kv_heads=8, head_dim=128, ffn=14336, vocab=128256)
estimate_memory(shape, make_setup(ranks=8, seq_len=8192, ac="full"))
print(time.process_time() - started)
"""


def test_405_billion_parameters_in_process():
    shape, setup = named_shape("llama-3.1-405b"), make_setup(ranks=512, seq_len=8192, ac="full")
    assert min(_processor_time(lambda: estimate_memory(shape, setup)) for _ in range(5)) < LIMIT_S


def test_import_and_first_estimate_beyond_pydantic():
    runs = [
        float(subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True).stdout)
        for _ in range(5)
    ]
    assert min(runs) < LIMIT_S


def _processor_time(work):
    started = time.process_time()
    work()
    return time.process_time() - started
