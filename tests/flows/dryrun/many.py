"""Runs dry runs one after another in one process: a list of (settings, trace file) as JSON on standard input."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "runners" / "payload"))
from fsdp_dryrun import trace_run
from fsdp_dryrun_config import parse_dryrun

for settings, file in json.load(sys.stdin):
    trace_run(parse_dryrun(settings), None, Path(file))
