"""The plan's own consistency: each rule fires on one contradiction, a sound plan has none."""

from pathlib import Path
from typing import Any

import pytest

from contracts.finding import Finding
from contracts.launch import InnerLaunch, InputDigest, LaunchRequest, LaunchResources
from contracts.memory import MemoryEstimate
from contracts.plan import Plan
from contracts.recipe import Recipe
from contracts.request import Hardware, Request
from engines.review.plan import review_plan

SHA = "0" * 64


def _launch(**changes: Any) -> LaunchRequest:
    given: dict[str, Any] = {
        "kind": "train",
        "interpreter": "/usr/bin/python3",
        "argv": ("-m", "torch.distributed.run", "--nnodes=1", "--nproc-per-node=2", "--max-restarts=0",
                 "/b/fsdp_sft.py", "--config", "/b/config.json"),
        "workdir": "/b",
        "resources": LaunchResources(nodes=1, ranks_per_node=2, device="cpu"),
        "writes": ("{run_dir}",),
        "inputs": tuple(
            InputDigest(role=role, path=path, sha256=SHA, size_bytes=1)
            for role, path in (("script", "/b/fsdp_sft.py"), ("config", "/b/config.json"))
        ),
    }  # fmt: skip
    return LaunchRequest(**(given | changes))


_INNER = InnerLaunch(label="chosen", argv=("/b/fsdp_sft.py", "--config", "/b/other.json"), settings={})
"""A launch within one, whose configuration nobody approves."""


def _plan(memory: dict[str, Any] | None = None, recipe: dict[str, Any] | None = None, **changes: Any) -> Plan:
    numbers: dict[str, Any] = {
        "active_gib": 50.0,
        "reserved_gib": 60.0,
        "step1_reserved_gib": 55.0,
        "capacity_gib": 79.0,
        "overhead_gib": 2.0,
        "margin_gib": 17.0,
        "error_pct": 10.0,
        "peak_phase": "backward",
        "breakdown_gib": {},
    }
    given: dict[str, Any] = {
        "plan_id": "0123456789ab",
        "verdict": "use_fsdp",
        "fits": True,
        "memory": MemoryEstimate(**(numbers | (memory or {}))),
        "recipe": Recipe(**(recipe or {})),
        "world_size": 2,
        "decisions": (),
        "launch": _launch(),
    }
    return Plan(**(given | changes))


def _rules(plan: Plan, request: Request | None = None) -> dict[str, Finding]:
    findings = review_plan(plan, request or Request(intent="run"))
    assert all((found.file, found.line) == ("plan", 1) for found in findings)
    return {found.rule: found for found in findings}


def test_a_sound_plan_has_no_finding() -> None:
    assert _rules(_plan()) == {}


CASES: list[tuple[str, str, Plan]] = [
    ("PL001", "error", _plan(recipe={"dp_replicate": 2}, world_size=3, launch=None, verdict="not_needed")),
    ("PL002", "error", _plan(memory={"margin_gib": -3.0, "reserved_gib": 80.0})),
    ("PL003", "warning", _plan(recipe={"reduce_dtype": "bf16"})),
    ("PL004", "error", _plan(launch=None)),
    ("PL005", "error", _plan(world_size=4)),
    ("PL008", "warning", _plan(memory={"margin_gib": 5.9})),
    ("PL009", "error", _plan(fits=False)),
    ("PL010", "error", _plan(launch=_launch(inputs=_launch().inputs[:1]))),
    ("PL010", "error", _plan(launch=_launch(inputs=_launch().inputs[1:]))),
    ("PL010", "error", _plan(launch=_launch(launches=(_INNER,)))),
    ("PL011", "error", _plan(launch=_launch(writes=("/data",)))),
    ("PL012", "warning", _plan(recipe={"dp_replicate": 2})),
    ("PL013", "warning", _plan(launch=_launch(argv=(*_launch().argv, "--max-restarts", "3")[5:]))),
    ("PL014", "warning", _plan(recipe={"cpu_offload": True})),
    ("PL015", "error", _plan(verdict="does_not_fit")),
]


@pytest.mark.parametrize(
    ("rule", "severity", "plan"), CASES, ids=[f"{rule}-{i}" for i, (rule, _, _) in enumerate(CASES)]
)
def test_a_contradiction_is_found(rule: str, severity: str, plan: Plan) -> None:
    found = _rules(plan)
    assert found[rule].severity == severity
    assert set(found) == {rule}


def test_the_command_line_counts_not_only_the_resources() -> None:
    argv = tuple(part.replace("--nproc-per-node=2", "--nproc_per_node=8") for part in _launch().argv)
    found = _rules(_plan(launch=_launch(argv=argv)))
    assert "8" in found["PL005"].message


def test_the_margin_s_arithmetic_is_shown() -> None:
    found = _rules(_plan(memory={"margin_gib": -3.0, "reserved_gib": 80.0}))
    assert "3.00 GiB" in found["PL002"].message


def test_more_ranks_than_gpus() -> None:
    request = Request(intent="run", hardware=Hardware(gpus=1, device="cuda"))
    assert set(_rules(_plan(), request)) == {"PL007"}


@pytest.mark.parametrize(("backend", "wrong"), [("nccl", True), ("cpu:gloo,cuda:nccl", False)])
def test_offload_needs_a_backend_for_cpu_tensors(tmp_path: Path, backend: str, wrong: bool) -> None:
    script = tmp_path / "train.py"
    script.write_text(f"import torch.distributed as dist\ndist.init_process_group({backend!r})\n")
    launch = _launch(
        kind="script",
        argv=("-m", "torch.distributed.run", "--nproc-per-node=2", str(script)),
        resources=LaunchResources(nodes=1, ranks_per_node=2, device="cuda"),
        inputs=(InputDigest(role="script", path=str(script), sha256=SHA, size_bytes=80),),
    )
    plan = _plan(recipe={"cpu_offload": True}, launch=launch)
    assert ("PL006" in _rules(plan)) is wrong
