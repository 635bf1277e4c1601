"""TrainJob manifests against Kubeflow's schema: what is taken, and what is refused with the field's name."""

import copy

import jsonschema
import pytest
import yaml

from contracts.recipe import Recipe
from engines.artefacts.job import Job
from engines.artefacts.trainjob import trainjob, trainjob_yaml
from engines.review.configuration import ConfigUnreadable
from engines.review.engine import review_source
from engines.review.manifests import read_manifests
from knowledge import trainjob as kubeflow
from knowledge.trainjob import field, is_trainjob, problems

JOB = Job("meta-llama/Llama-3-8B", Recipe(), 32, 4, "cuda", "H100-80GB")
WHOLE = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "tune-8b", "namespace": "research", "labels": {"team": "a"}, "annotations": {"note": "b"}},
    "spec": {
        "activeDeadlineSeconds": 86400,
        "managedBy": "kueue.x-k8s.io/multikueue",
        "suspend": True,
        "runtimeRef": {
            "name": "torch-distributed",
            "apiGroup": "trainer.kubeflow.org",
            "kind": "ClusterTrainingRuntime",
        },
        "initializer": {
            "dataset": {"storageUri": "s3://data/train", "secretRef": {"name": "s3"}},
            "model": {
                "storageUri": "",
                "env": [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "t"}}}],
            },
        },
        "trainer": {
            "image": "registry.example.com/train:1",
            "command": ["torchrun"],
            "args": ["train.py", "--lr", "1e-5"],
            "numNodes": 4,
            "numProcPerNode": 8,
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8, "memory": "1.5Ti", "cpu": "500m"}},
        },
        "runtimePatches": [
            {
                "manager": "team",
                "trainingRuntimeSpec": {
                    "template": {
                        "spec": {
                            "replicatedJobs": [
                                {
                                    "name": "node",
                                    "template": {
                                        "spec": {
                                            "template": {
                                                "spec": {
                                                    "nodeSelector": {"gpu": "h100"},
                                                    "volumes": [{"name": "v", "nfs": {"server": "s", "path": "/p"}}],
                                                    "tolerations": [{"key": "gpu", "operator": "Exists"}],
                                                }
                                            }
                                        }
                                    },
                                }
                            ]
                        }
                    }
                },
            }
        ],
    },
}

MUTATIONS = [
    (("apiVersion",), "trainer.kubeflow.org/v2", "apiVersion must be trainer.kubeflow.org/v1alpha1"),
    (("kind",), "PyTorchJob", "kind must be TrainJob, not 'PyTorchJob'"),
    (("metadata", "name"), "Tune_8B", "metadata.name must be lower-case letters"),
    (("metadata", "name"), "a" * 64, "metadata.name has 64 characters; 63 are allowed"),
    (("metadata", "name"), None, "metadata.name is missing"),
    (("metadata", "labels", "team"), 7, "metadata.labels.team must be a text, not 7"),
    (("spec",), None, "spec is missing"),
    (("spec", "runtimeRef"), None, "spec.runtimeRef is missing"),
    (("spec", "runtimeRef", "name"), "", "spec.runtimeRef.name must not be empty"),
    (("spec", "activeDeadlineSeconds"), 0, "spec.activeDeadlineSeconds must be 1 or more, not 0"),
    (("spec", "suspend"), "yes", "spec.suspend must be true or false, not 'yes'"),
    (("spec", "managedBy"), "me", "spec.managedBy must be trainer.kubeflow.org/trainjob-controller or kueue"),
    (
        ("spec", "initializer", "dataset", "storageUri"),
        "/data",
        "spec.initializer.dataset.storageUri must begin with a scheme",
    ),
    (("spec", "trainer", "numNodes"), "4", "spec.trainer.numNodes must be a whole number, not '4'"),
    (("spec", "trainer", "numNodes"), 2.5, "spec.trainer.numNodes must be a whole number, not 2.5"),
    (("spec", "trainer", "numNodes"), 2**31, "spec.trainer.numNodes must be 2147483647 or less"),
    (("spec", "trainer", "numProcPerNode"), 0, "spec.trainer.numProcPerNode must be 1 or more, not 0"),
    (("spec", "trainer", "numProcPerNode"), True, "spec.trainer.numProcPerNode must be a whole number, not True"),
    (("spec", "trainer", "numNode"), 4, "spec.trainer.numNode is no field of a TrainJob; numNodes is meant?"),
    (
        ("spec", "trainer", "command"),
        "torchrun train.py",
        "spec.trainer.command must be a list, not 'torchrun train.py'",
    ),
    (("spec", "trainer", "args"), ["x"] * 129, "spec.trainer.args has 129 entries; 128 are allowed"),
    (("spec", "trainer", "env", 1, "name"), None, "spec.trainer.env[1].name is missing"),
    (("spec", "trainer", "env", 1, "name"), "A", "spec.trainer.env[1] repeats the name 'A'"),
    (("spec", "trainer", "env", 0, "value"), 1, "spec.trainer.env[0].value must be a text, not 1"),
    (("spec", "trainer", "image"), "x" * 501, "spec.trainer.image has 501 characters; 500 are allowed"),
    (
        ("spec", "trainer", "resourcesPerNode", "limits", "memory"),
        "80GB",
        "spec.trainer.resourcesPerNode.limits.memory has the wrong form",
    ),
    (("spec", "runtimePatches", 0, "manager"), None, "spec.runtimePatches[0].manager is missing"),
    (("spec", "runtimePatches", 0, "template"), {}, "spec.runtimePatches[0].template is no field of a TrainJob"),
    (("spec", "podTemplateOverrides"), [], "spec.podTemplateOverrides is no field of a TrainJob"),
    (("spec", "trainer"), ["torchrun"], "spec.trainer must be a mapping, not a list"),
]


def mutated(path, value):
    document = copy.deepcopy(WHOLE)
    place = document
    for part in path[:-1]:
        place = place[part]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document


@pytest.mark.parametrize("nodes", [1, 4])
@pytest.mark.parametrize("gpu", ["H100-80GB", "MI300X", None])
def test_the_manifest_of_a_plan_is_taken(nodes, gpu):
    made = yaml.safe_load(trainjob_yaml(Job("org/Llama-3.1-405B_Base", Recipe(), 8 * nodes, nodes, "cuda", gpu)))
    assert problems(made) == ()
    trainer = made["spec"]["trainer"]
    assert (trainer["numNodes"], trainer["numProcPerNode"]) == (nodes, 8)
    assert list(trainer["resourcesPerNode"]["limits"].values()) == [8]
    assert made["metadata"]["name"] == "fsdp-llama-3-1-405b-base"


def test_everything_that_may_be_said_is_taken():
    assert problems(WHOLE) == ()


@pytest.mark.parametrize("name", ["/", "a" * 200, "Ω", "x/../y", "-"])
def test_a_model_of_any_name_makes_a_name_that_is_taken(name):
    assert problems(trainjob(Job(name, Recipe(), 8, 1, "cpu"))) == ()


@pytest.mark.parametrize(("path", "value", "said"), MUTATIONS, ids=lambda value: str(value)[:40])
def test_a_mutated_manifest_is_refused_by_its_field(path, value, said):
    found = problems(mutated(path, value))
    assert any(problem.message.startswith(said) for problem in found), found
    assert len(found) == 1, found
    assert field(found[0].path) in found[0].message or "is missing" in found[0].message


@pytest.mark.parametrize(("path", "value", "said"), MUTATIONS, ids=lambda value: str(value)[:40])
def test_a_review_of_the_file_says_the_same(path, value, said):
    found = review_source(yaml.safe_dump(mutated(path, value)), "trainjob.yaml")
    assert [finding.rule for finding in found] == ["KF450"]
    assert found[0].message.startswith(said)
    assert found[0].line > 0


def test_jsonschema_agrees_where_the_rule_is_in_the_schema():
    """The reader here against another one: the part that is JSON Schema gives the same verdicts."""
    schema = kubeflow._schema()["spec"]
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(WHOLE["spec"])
    assert validator.is_valid(trainjob(JOB)["spec"])
    by_rule = {"managedBy", "storageUri", "repeats", "numProcPerNode must be 1"}
    checked = 0
    for path, value, said in MUTATIONS:
        document = mutated(path, value)
        if path[0] == "spec" and "spec" in document and not any(word in said for word in by_rule):
            checked += 1
            errors = list(validator.iter_errors(document["spec"]))
            assert errors, said
            assert {tuple(error.absolute_path) for error in errors} <= {path[1:], path[1:-1]}, said
    assert checked >= 15


@pytest.mark.parametrize("document", [None, [], "x", 7, {}, {"metadata": 1, "spec": 2, "apiVersion": [], "kind": {}}])
def test_what_is_no_manifest_at_all_is_refused(document):
    assert problems(document)


def test_other_documents_are_left_alone():
    assert not is_trainjob({"apiVersion": "batch/v1", "kind": "Job"})
    assert not is_trainjob({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime"})
    assert review_source("apiVersion: batch/v1\nkind: Job\nmetadata: {name: TrainJob}\n", "job.yaml") == ()


def test_a_manifest_that_unfolds_without_end_is_not_read():
    bomb = "kind: TrainJob\na: &a [x,x,x,x,x,x,x,x,x,x]\n"
    bomb += "".join(
        f"{n}: &{n} [*{m},*{m},*{m},*{m},*{m},*{m},*{m},*{m},*{m},*{m}]\n"
        for m, n in zip("abcdefg", "bcdefgh", strict=True)
    )
    with pytest.raises(ConfigUnreadable, match="more than 50000 values"):
        read_manifests("bomb.yaml", bomb)


def test_many_mistakes_are_told_up_to_a_bound():
    document = copy.deepcopy(WHOLE)
    document["spec"]["trainer"] = {f"field{n}": n for n in range(1000)}
    assert len(problems(document)) == 100
