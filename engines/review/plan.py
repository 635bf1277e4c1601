"""Review of a plan: does it agree with itself, with the request, and with what it would start?

| rule | slug | severity |
|---|---|---|
| PL001 | replicas-do-not-divide-world-size | error |
| PL002 | memory-margin-negative | error |
| PL003 | implicit-low-precision-reduce | warning |
| PL004 | launch-missing | error |
| PL005 | launch-ranks-mismatch | error |
| PL006 | cpu-offload-needs-gloo | error |
| PL007 | more-ranks-than-gpus | error |
| PL008 | memory-margin-within-error | warning |
| PL009 | verdict-contradicts-fit | error |
| PL010 | launched-file-not-approved | error |
| PL011 | run-folder-not-declared | error |
| PL012 | nothing-is-sharded | warning |
| PL013 | restarts-by-launcher | warning |
| PL014 | offload-without-device | warning |
| PL015 | launch-without-verdict | error |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from contracts.finding import Finding, Severity
from contracts.plan import Plan
from contracts.request import Request
from engines.review.launched import launched_files, number_option, ranks_of_command_line, without_gloo

PLAN_FILE = "plan"
"""What stands for the file in a finding about a plan."""


def review_plan(plan: Plan, request: Request) -> tuple[Finding, ...]:
    """Check a plan's own consistency.

    Args:
        plan: What the planner made.
        request: What was asked for.

    Returns:
        Findings in the order of their rules; file is "plan" and line 1. An error among them
        means that the plan must not be approved as it is.
    """
    return tuple(finding for check in _CHECKS for finding in check(plan, request))


def _finding(rule: str, slug: str, severity: Severity, message: str, fix: str, card: str = "") -> Finding:
    return Finding(
        rule=rule,
        slug=slug,
        severity=severity,
        file=PLAN_FILE,
        line=1,
        message=message,
        fix=fix,
        cards=(card,) if card else (),
    )


def _replicas(plan: Plan, _request: Request) -> Iterator[Finding]:
    replicate, world = plan.recipe.dp_replicate, plan.world_size
    if world % replicate:
        yield _finding(
            "PL001",
            "replicas-do-not-divide-world-size",
            "error",
            f"world size {world} is not divisible by dp_replicate {replicate}:"
            f" {world} % {replicate} = {world % replicate}",
            f"Choose a dp_replicate that divides {world}.",
            "mesh-size-mismatch",
        )
    elif replicate == world > 1:
        yield _finding(
            "PL012",
            "nothing-is-sharded",
            "warning",
            f"dp_replicate {replicate} equals the world size: every rank holds the whole model, as DDP does",
            "Use DDP, or a smaller dp_replicate.",
        )


def _memory(plan: Plan, _request: Request) -> Iterator[Finding]:
    memory = plan.memory
    margin = None if memory is None else memory.margin_gib
    if memory is None or margin is None:
        return
    error_gib = memory.reserved_gib * memory.error_pct / 100
    if margin < 0:
        yield _finding(
            "PL002",
            "memory-margin-negative",
            "error",
            f"predicted {memory.reserved_gib:.2f} GiB + {memory.overhead_gib:.2f} GiB overhead exceed the"
            f" {memory.capacity_gib or 0:.2f} GiB of the device by {-margin:.2f} GiB",
            "Use more GPUs, activation checkpointing, a smaller micro-batch or cpu_offload.",
        )
    elif margin < error_gib:
        yield _finding(
            "PL008",
            "memory-margin-within-error",
            "warning",
            f"the margin of {margin:.2f} GiB is smaller than the estimate's error of {error_gib:.2f} GiB"
            f" ({memory.error_pct:.0f} % of {memory.reserved_gib:.2f} GiB)",
            "Measure with a dry run, or leave more room.",
        )


def _precision(plan: Plan, _request: Request) -> Iterator[Finding]:
    if plan.recipe.reduce_dtype == "bf16":
        yield _finding(
            "PL003",
            "implicit-low-precision-reduce",
            "warning",
            f"gradients are reduce-scattered in bf16 over {plan.world_size} ranks; the error grows with their number",
            "Set reduce_dtype to fp32.",
            "implicit-low-precision-reduce",
        )


def _verdict(plan: Plan, request: Request) -> Iterator[Finding]:
    if plan.fits is False and plan.verdict in ("use_fsdp", "not_needed"):
        yield _finding(
            "PL009",
            "verdict-contradicts-fit",
            "error",
            f'the verdict is "{plan.verdict}" although the prediction does not fit the device',
            "The verdict must be does_not_fit or needs_more_than_fsdp.",
        )
    if plan.launch is not None and plan.verdict in ("does_not_fit", "needs_more_than_fsdp"):
        yield _finding(
            "PL015",
            "launch-without-verdict",
            "error",
            f'a launch is offered although the verdict is "{plan.verdict}"',
            "Leave the launch out.",
        )
    if plan.launch is None and request.intent == "run" and plan.verdict == "use_fsdp":
        yield _finding(
            "PL004",
            "launch-missing",
            "error",
            "a run was asked for and the plan has nothing to start",
            "Plan with a model folder and training data, so that a launch can be written.",
        )


def _ranks(plan: Plan, request: Request) -> Iterator[Finding]:
    launch, gpus = plan.launch, request.hardware.gpus
    if request.hardware.device == "cuda" and gpus is not None and 0 < gpus < plan.world_size:
        yield _finding(
            "PL007",
            "more-ranks-than-gpus",
            "error",
            f"{plan.world_size} ranks are planned for {gpus} GPUs; NCCL refuses two ranks on one device",
            f"Use {gpus} ranks, or the device cpu.",
        )
    if launch is None:
        return
    started = launch.resources.nodes * launch.resources.ranks_per_node
    stated = {
        "its resources": started,
        "its command line": ranks_of_command_line(launch) or started,
    }
    for where, ranks in stated.items():
        if launch.kind == "train" and ranks != plan.world_size:
            yield _finding(
                "PL005",
                "launch-ranks-mismatch",
                "error",
                f"the plan is for {plan.world_size} ranks but {where} start {ranks}",
                f"Start {plan.world_size} ranks.",
            )


def _offload(plan: Plan, request: Request) -> Iterator[Finding]:
    if not plan.recipe.cpu_offload:
        return
    device = plan.launch.resources.device if plan.launch is not None else request.hardware.device
    if device == "cpu":
        yield _finding(
            "PL014",
            "offload-without-device",
            "warning",
            "cpu_offload moves nothing where the ranks already run on the CPU",
            "Leave cpu_offload out.",
        )
    elif plan.launch is not None and without_gloo(plan.launch):
        yield _finding(
            "PL006",
            "cpu-offload-needs-gloo",
            "error",
            "cpu_offload keeps gradients in host memory, and the script's process group has no backend for CPU tensors",
            "init_process_group('cpu:gloo,cuda:nccl')",
            "cpu-offload-needs-gloo",
        )


def _launch_files(plan: Plan, _request: Request) -> Iterator[Finding]:
    launch = plan.launch
    if launch is None:
        return
    approved = {item.path for item in launch.inputs}
    for argument in launched_files(launch):
        if argument not in approved:
            yield _finding(
                "PL010",
                "launched-file-not-approved",
                "error",
                f"the command line names {argument}, which is not among the files that are approved by content",
                "Add it to the inputs of the launch.",
            )
    if "{run_dir}" not in launch.writes:
        yield _finding(
            "PL011",
            "run-folder-not-declared",
            "error",
            "the launch does not declare that it writes {run_dir}",
            "Add {run_dir} to its writes.",
        )
    if (number_option(launch, "max-restarts") or 0) > 0:
        yield _finding(
            "PL013",
            "restarts-by-launcher",
            "warning",
            "torchrun would restart failed ranks itself, and the run's events would not show it",
            "Use --max-restarts=0; a run is resumed from its checkpoint.",
        )


_CHECKS: tuple[Callable[[Plan, Request], Iterator[Finding]], ...] = (
    _replicas,
    _memory,
    _precision,
    _verdict,
    _ranks,
    _offload,
    _launch_files,
)
