"""The agent imports and works where torch is not installed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

BLOCKED = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    roots = {"torch", "transformers", "accelerate", "safetensors", "tokenizers"}
    asked = []

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.roots:
            self.asked.append(name)
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Absent())
"""

EVERY_MODULE = """
import importlib, pkgutil, sys
from pathlib import Path
rooms = ("contracts", "knowledge", "engines", "runners", "nodes", "graph", "interfaces")
seen = []
for room in rooms:
    package = importlib.import_module(room)
    for found in pkgutil.walk_packages(package.__path__, room + "."):
        if ".payload" in found.name or ".probes" in found.name or found.name.endswith("__main__"):
            continue
        importlib.import_module(found.name)
        seen.append(found.name)
assert "graph.build" in seen and "nodes.approve" in seen and "runners.local" in seen, seen
"""

TO_THE_QUESTION = """
import json, sys
from langgraph.checkpoint.memory import MemorySaver
from contracts.settings import Settings
from graph.build import builder
graph = builder.compile(checkpointer=MemorySaver())
config = {"configurable": {"thread_id": "t-1"}}
out = graph.invoke({"request": json.loads(sys.argv[1])}, config, context=Settings(home=sys.argv[2]))
print(json.dumps({"phase": out["phase"], "asked_for": Absent.asked, "kind": out["__interrupt__"][0].value["kind"]}))
"""


def run(code: str, *arguments: str) -> str:
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    call = [sys.executable, "-c", BLOCKED + code, *arguments]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_imports(tmp_path: Path) -> None:
    run(EVERY_MODULE)


def test_a_request_reaches_the_approval(bench: Any) -> None:
    out = json.loads(run(TO_THE_QUESTION, json.dumps(bench.request), str(bench.home.root)))
    assert out == {"phase": "awaiting_approval", "asked_for": [], "kind": "approval"}
