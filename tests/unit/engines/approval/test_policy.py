"""Policy approves what only looks, in the agent's own Python, and nothing beside it."""

from typing import Any

import pytest

from contracts.launch import LaunchRequest, LaunchResources
from engines.approval.policy import pre_approved

OWN = "/agent/bin/python"


def launch(**changes: Any) -> LaunchRequest:
    known = {
        "kind": "preflight",
        "interpreter": OWN,
        "argv": ("-m", "torch.distributed.run"),
        "workdir": "/plans/0",
        "resources": LaunchResources(nodes=1, ranks_per_node=2, device="cpu"),
        "writes": ("{run_dir}",),
        "inputs": (),
    }
    return LaunchRequest.model_validate(known | changes)


@pytest.mark.parametrize("kind", ["preflight", "probe"])
def test_the_local_preflight_and_probes_of_ours(kind: str) -> None:
    assert pre_approved(launch(kind=kind), OWN)


def test_a_dry_run_of_a_model_of_transformers_and_none_of_the_users_own() -> None:
    argv = ("/plans/0/fsdp_dryrun.py", "--config", "/plans/0/config.json")
    assert pre_approved(launch(kind="dryrun", argv=argv), OWN)
    assert not pre_approved(launch(kind="dryrun", argv=(*argv, "--user-code")), OWN)
    assert not pre_approved(launch(kind="dryrun", argv=argv, interpreter="/user/bin/python"), OWN)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "train"},
        {"kind": "script"},
        {"kind": "export"},
        {"interpreter": "/user/bin/python"},
        {"resources": LaunchResources(nodes=2, ranks_per_node=2, device="cpu")},
        {"env_passed": ("TOKEN",)},
        {"writes": ("{run_dir}", "/data")},
    ],
)
def test_everything_else_needs_a_person(change: dict[str, Any]) -> None:
    assert not pre_approved(launch(**change), OWN)
