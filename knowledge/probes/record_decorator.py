"""Only @record writes the exception of a worker into its error file."""

import json
import os
from pathlib import Path

from _lab import raises
from torch.distributed.elastic.multiprocessing.errors import ProcessFailure, record

PROCESS_GROUP = False
WORLD_SIZE = 1


def _main():
    raise KeyError("no such column: text")


def probe(rank, world_size):
    """Fail without and with the decorator and read what the launcher would print."""
    os.environ["TORCHELASTIC_ERROR_FILE"] = "error.json"
    raises(KeyError, "no such column", _main)
    assert not Path("error.json").exists()
    without = ProcessFailure(local_rank=0, pid=1, exitcode=1, error_file="error.json")
    assert without.error_file == "<N/A>", without
    assert "To enable traceback see" in without.message, without
    raises(KeyError, "no such column", record(_main))
    written = json.loads(Path("error.json").read_text(encoding="utf-8"))["message"]
    assert "no such column: text" in written["message"], written
    assert "_main" in written["extraInfo"]["py_callstack"], written
    killed = ProcessFailure(local_rank=0, pid=1, exitcode=-9, error_file="none.json")
    assert "Signal 9 (SIGKILL)" in killed.message, killed
    return {"without @record": "error_file <N/A>", "with @record": "message and stack", "killed": "Signal 9 (SIGKILL)"}
