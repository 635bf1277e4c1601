"""One task of srun, on each node: fill in what differs from node to node, and become the launcher.

    python -I -S node.py ATTEMPT_FOLDER       become the launcher
    python -I -S node.py roll FOLDER          say that this node is there, and what it has

Runs in the training interpreter, in its container where there is one: standard library
only, nothing of ours imported, for any Python from 3.8 on.
"""

import json
import os
import sys
import time


def become_launcher(folder: str) -> None:
    """Replace this process by what launch.json says."""
    with open(os.path.join(folder, "launch.json"), "rb") as stream:  # noqa: PTH118 - see above
        task = json.load(stream)["task"]
    rank = os.environ["SLURM_NODEID"]
    words = [word.replace("{node_rank}", rank) for word in [task["interpreter"], *task["argv"]]]
    os.environ["FSDP_NODE"] = os.environ.get("SLURMD_NODENAME", "")
    os.chdir(task["workdir"])
    os.execv(words[0], words)  # noqa: S606 - an argument list, no shell


def answer_roll_call(folder: str) -> None:
    """Write this node's name, clock and versions into the shared folder, whole or not at all."""
    now = time.time()
    name = os.environ.get("SLURMD_NODENAME", "")
    facts = {"node": name, "time": now, "python": sys.version.split()[0], "sees": False}
    facts["sees"] = os.path.exists(os.path.join(folder, "roll-call"))  # noqa: PTH110, PTH118
    path = os.path.join(folder, "node-" + name + ".json")  # noqa: PTH118
    with open(path + ".new", "w") as stream:
        json.dump(facts, stream)
    os.replace(path + ".new", path)  # noqa: PTH105


if __name__ == "__main__":
    if sys.argv[1] == "roll":
        answer_roll_call(sys.argv[2])
    else:
        become_launcher(sys.argv[1])
