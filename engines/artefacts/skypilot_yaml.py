"""The plan as a SkyPilot task: `sky launch skypilot.yaml`. It was not run on a real cloud."""

from typing import Any

import yaml

from engines.artefacts.job import Job
from engines.artefacts.trainjob import job_name

NAME = "skypilot.yaml"

_HEAD = """# SkyPilot task, as planned: sky launch skypilot.yaml
# SkyPilot's own loader reads it; it was not run on a real cloud.
"""

_ACCELERATORS = {
    "A100-80GB": "A100-80GB",
    "A100-40GB": "A100",
    "A10G": "A10G",
    "B200": "B200",
    "H100-80GB": "H100",
    "H200": "H200",
    "L4": "L4",
    "L40S": "L40S",
    "MI300X": "MI300X",
    "RTX-4090": "RTX4090",
    "T4": "T4",
    "V100-16GB": "V100",
    "V100-32GB": "V100-32GB",
}
"""GPUs by their names here, and by those that SkyPilot has for them."""

_RUN = """MASTER_ADDR=$(echo "$SKYPILOT_NODE_IPS" | head -n 1)
torchrun --nnodes="$SKYPILOT_NUM_NODES" --nproc-per-node={per_node} --node-rank="$SKYPILOT_NODE_RANK" \\
    --master-addr="$MASTER_ADDR" --master-port=29500 train.py
"""
_RUN_ALONE = "torchrun --standalone --nproc-per-node={per_node} train.py\n"


def skypilot_yaml(job: Job) -> str:
    """Return the task's text."""
    task: dict[str, Any] = {"name": job_name(job.model), "num_nodes": job.nodes, "workdir": "."}
    note = ""
    accelerator = _ACCELERATORS.get(job.gpu or "")
    if accelerator is not None:
        task["resources"] = {"accelerators": f"{accelerator}:{job.per_node}"}
    elif job.device == "cuda":
        note = f"# add resources.accelerators: NAME:{job.per_node}, by SkyPilot's name of the GPU (sky show-gpus)\n"
    task |= {
        "envs": {"OMP_NUM_THREADS": "1"},
        "setup": "pip install torch transformers\n",
        "run": (_RUN_ALONE if job.nodes == 1 else _RUN).format(per_node=job.per_node),
    }
    return _HEAD + note + yaml.dump(task, Dumper=_Dumper, sort_keys=False)


class _Dumper(yaml.SafeDumper):
    """Writes several lines of text as lines."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)
