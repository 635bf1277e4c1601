"""The tools: which operation each is, and in which words a small model chooses it."""

from typing import Any, NamedTuple

from interfaces.doors.operations import OPERATIONS

DESCRIPTIONS_LIMIT_CHARACTERS = 12_000
"""Of all names, descriptions and schemas together: what a model reads in every turn."""


class Tool(NamedTuple):
    """One tool."""

    operation: str
    """Name in `OPERATIONS`."""
    description: str
    """When to use it, and what comes back."""


TOOLS: dict[str, Tool] = {
    "fsdp_assess": Tool(
        "assess",
        "Is this a case for PyTorch FSDP at all? Give the user's request in plain words. Returns verdict use_fsdp, "
        "not_needed (one GPU, LoRA or DDP does it), wait or out_of_scope, with reasons and what to do instead. "
        "Call it first when unsure.",
    ),
    "fsdp_plan": Tool(
        "plan",
        "Choose an FSDP2 training configuration: does it fit, predicted peak memory per GPU, settings with reasons. "
        "Give text, or model with gpus and gpu. Starts nothing.",
    ),
    "fsdp_review": Tool(
        "review",
        "Find FSDP mistakes in training code, accelerate/Trainer/torchtitan configs and launch scripts. Give files "
        "(content by name) or paths. Returns findings with line, reason and fix. Nothing of the code is run.",
    ),
    "fsdp_diagnose": Tool(
        "diagnose",
        "Why did a multi-GPU training job fail, hang or run out of memory? Give log text, files, paths or run_id. "
        "Returns root causes best first, with the lines that prove them and the fix.",
    ),
    "fsdp_ask": Tool(
        "ask",
        "Answer a question about FSDP, sharding, mixed precision, DCP checkpoints or NCCL from cited, tested cards. "
        "Says 'not covered' rather than guess. With study: true weighs configurations (HSDP or full shard? LoRA or "
        "full?) for a model and GPUs by estimates, and concludes; status answering: look at fsdp_status later.",
    ),
    "fsdp_start_run": Tool(
        "start",
        "Plan a real training job and put it before a person. Returns status needs_approval with launch_hash: show "
        "the user the approve_with command; you cannot approve. The same key never starts a second job.",
    ),
    "fsdp_status": Tool(
        "status",
        "Where a thread (t-...) or run (r-...) stands: phase, step, loss, how it ended. Call it again after the "
        "person has approved.",
    ),
    "fsdp_read": Tool(
        "read",
        "Page through a thread's report, or a run's events or logs. Go on with next_offset.",
    ),
    "fsdp_list_runs": Tool("list", "Your runs, the newest first."),
    "fsdp_cancel_run": Tool("cancel", "Ask a run to save a checkpoint and stop."),
}
"""By name."""


def schema_of(name: str) -> dict[str, Any]:
    """Return a tool's input schema, without the words that a model does not need.

    Args:
        name: Name of the tool.
    """
    schema = OPERATIONS[TOOLS[name].operation].takes.model_json_schema()
    schema.pop("description", None)
    lean: dict[str, Any] = _lean(schema)
    return lean


def _lean(node: Any) -> Any:
    if isinstance(node, list):
        return [_lean(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _lean(value) for key, value in node.items() if key not in ("title", "maxLength", "pattern")}
    choices = kept.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices and len(choices) == 2:
        # optional is said by not being required; a second branch for null only costs words
        kept.pop("anyOf")
        kept = next(choice for choice in choices if choice != {"type": "null"}) | kept
    if kept.get("default", 0) in (None, "", 0) or kept.get("default") in ({}, []):
        kept.pop("default", None)
    return kept
