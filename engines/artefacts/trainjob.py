"""The plan as a Kubernetes manifest: a TrainJob of Kubeflow Trainer v2.

It is held to the published schema before it is given out. It was not run on a real cluster.
"""

import re
from typing import Any

import yaml

from engines.artefacts.job import Job
from knowledge.trainjob import problems

NAME = "trainjob.yaml"

_HEAD = """# TrainJob of Kubeflow Trainer v2, as planned: kubectl apply -f trainjob.yaml
# It holds to the schema of Trainer v2.3.0; it was not run on a real cluster. Put in:
#   trainer.image: an image with torch and train.py; claimName: a claim that all machines can write (ReadWriteMany)
# The runtime torch-distributed comes with Trainer; it sets PET_NNODES and the like, so torchrun needs no options.
"""

_LONGEST_NAME = 40
"""Characters of the job's name: pods add theirs to it."""


def trainjob_yaml(job: Job) -> str:
    """Return the manifest's text."""
    manifest = trainjob(job)
    wrong = problems(manifest)
    assert not wrong, f"a manifest that Kubeflow would refuse: {wrong[0].message}"
    return _HEAD + yaml.safe_dump(manifest, sort_keys=False)


def trainjob(job: Job) -> dict[str, Any]:
    """Return the manifest as plain data."""
    trainer: dict[str, Any] = {
        "image": "registry.example.com/train:latest",
        "command": ["torchrun", "train.py"],
        "numNodes": job.nodes,
        "numProcPerNode": job.per_node,
        "env": [{"name": "OMP_NUM_THREADS", "value": "1"}],
    }
    if job.device == "cuda":
        resource = "amd.com/gpu" if (job.gpu or "").startswith("MI") else "nvidia.com/gpu"
        trainer["resourcesPerNode"] = {"requests": {resource: job.per_node}, "limits": {resource: job.per_node}}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": job_name(job.model)},
        "spec": {
            "runtimeRef": {"name": "torch-distributed"},
            "trainer": trainer,
            "runtimePatches": [{"manager": "fsdp-agent", "trainingRuntimeSpec": _volumes()}],
        },
    }


def job_name(model: str) -> str:
    """Return a name that Kubernetes and SkyPilot take, made of the model's."""
    letters = re.sub(r"[^a-z0-9]+", "-", model.rstrip("/").rpartition("/")[2].lower()).strip("-")
    return f"fsdp-{letters}"[:_LONGEST_NAME].rstrip("-")


def _volumes() -> dict[str, Any]:
    """Return the patch with storage that all machines share, and shared memory for data loaders."""
    pod = {
        "containers": [
            {
                "name": "node",
                "volumeMounts": [{"name": "shared", "mountPath": "/shared"}, {"name": "shm", "mountPath": "/dev/shm"}],  # noqa: S108 - a mount point
            }
        ],
        "volumes": [
            {"name": "shared", "persistentVolumeClaim": {"claimName": "fsdp-shared"}},
            {"name": "shm", "emptyDir": {"medium": "Memory"}},
        ],
    }
    return {
        "template": {"spec": {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": {"spec": pod}}}}]}}
    }
