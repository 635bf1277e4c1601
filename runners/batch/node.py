"""One task of srun, on each node: fill in what differs from node to node, and become the launcher.

    python -I -S node.py ATTEMPT_FOLDER

Runs in the training interpreter, in its container where there is one: standard library
only, nothing of ours imported, for any Python from 3.8 on.
"""

import json
import os
import sys


def main() -> None:
    """Replace this process by what launch.json says."""
    with open(os.path.join(sys.argv[1], "launch.json"), "rb") as stream:  # noqa: PTH118 - see above
        task = json.load(stream)["task"]
    rank = os.environ["SLURM_NODEID"]
    words = [word.replace("{node_rank}", rank) for word in [task["interpreter"], *task["argv"]]]
    os.environ["FSDP_NODE"] = os.environ.get("SLURMD_NODENAME", "")
    os.chdir(task["workdir"])
    os.execv(words[0], words)  # noqa: S606 - an argument list, no shell


if __name__ == "__main__":
    main()
