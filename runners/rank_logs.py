"""Where the ranks of a start wrote their output, and which rank is which. Standard library only.

torchrun names its folders by local rank. On one machine that is the rank; on a cluster
each node has a folder of its own (`log/node-1/...`), and ranks are counted on in the
order of the nodes.
"""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from runners.files import read_object
from runners.rundir import AttemptDir

_NODE = re.compile(r"node-(\d+)")
_PATTERNS = ("*/attempt_*/*/", "node-*/*/attempt_*/*/")


def rank_files(attempt: AttemptDir, name: str) -> list[tuple[int, Path]]:
    """Return the files of a name with their ranks, by rank and path.

    Args:
        attempt: The start.
        name: A file's name, such as "error.json"; `*` stands for anything.
    """
    found: list[tuple[int, Path]] = []
    with contextlib.suppress(OSError):
        found = sorted(_each(attempt, name))
    return found


def _each(attempt: AttemptDir, name: str) -> Iterator[tuple[int, Path]]:
    per_node = -1
    for pattern in _PATTERNS:
        for path in attempt.rank_logs.glob(pattern + name):
            if not path.parent.name.isdecimal():
                continue
            rank = int(path.parent.name)
            node = _NODE.fullmatch(path.relative_to(attempt.rank_logs).parts[0])
            if node is not None:
                per_node = _ranks_per_node(attempt) if per_node < 0 else per_node
                rank += int(node[1]) * per_node
            yield rank, path


def _ranks_per_node(attempt: AttemptDir) -> int:
    task = (read_object(attempt.launch) or {}).get("task")
    ranks = task.get("ranks") if isinstance(task, dict) else None
    return ranks if isinstance(ranks, int) else 1
