"""The stored schema of TrainJobs against Kubeflow's own definition, where it is at hand.

FSDP_TRAINJOB_CRD names manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml of
github.com/kubeflow/trainer at the version that `knowledge/manifests/trainjob.json` names.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from contracts.recipe import Recipe
from engines.artefacts.job import Job
from engines.artefacts.trainjob import trainjob

ROOT = Path(__file__).parents[2]
CRD = os.environ.get("FSDP_TRAINJOB_CRD", "")
STORED = ROOT / "knowledge" / "manifests" / "trainjob.json"

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not CRD, reason="needs Kubeflow's definition of a TrainJob: FSDP_TRAINJOB_CRD names its file"),
]


def test_what_is_stored_is_what_the_definition_gives() -> None:
    stored = json.loads(STORED.read_text())
    call = [sys.executable, str(ROOT / "scripts" / "trainjob_schema.py"), CRD, stored["source"]]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == stored


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_the_whole_definition_takes_the_manifest(device: str) -> None:
    definition: Any = yaml.safe_load(Path(CRD).read_text())
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    jsonschema.Draft202012Validator(schema).validate(trainjob(Job("org/model", Recipe(), 16, 2, device, "H100-80GB")))
