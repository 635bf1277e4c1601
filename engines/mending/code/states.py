"""How state dictionaries, schedules and gradients of a sharded model are handled."""

import ast

from contracts.wording import told
from engines.mending.code.source import Change, Source, changed, last_name
from engines.mending.phrases import COSTS, WHY
from engines.mending.situation import Mend, Situation

_STATE_DICT = "torch.distributed.checkpoint.state_dict"


def full_state_into_shards(situation: Situation) -> Mend | None:
    """Load a full state dict in the way that distributes it over the shards."""
    texts = changed(situation, _patch_load)
    why = told(WHY, "loads_shards", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_load(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("load_state_dict"):
        statement = source.statement(call)
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(statement, ast.Expr) or len(call.args) != 1 or call.keywords or owner is None:
            continue
        if "optim" in source.of(owner) or "sched" in source.of(owner) or "loader" in source.of(owner):
            continue
        change.need(f"from {_STATE_DICT} import StateDictOptions, set_model_state_dict")
        options = "StateDictOptions(full_state_dict=True)"
        change.replace(call, f"set_model_state_dict({source.of(owner)}, {source.of(call.args[0])}, options={options})")
    return change.done()


def partial_load(situation: Situation) -> Mend | None:
    """Load what the checkpoint has; what it has not keeps its first value."""
    texts = changed(situation, _patch_partial)
    why = told(WHY, "partial_state", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_partial(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("load"):
        module = call.func.value if isinstance(call.func, ast.Attribute) else None
        dcp = module is not None and last_name(module) in ("dcp", "checkpoint", "dist_cp")
        if dcp and not any(keyword.arg in ("planner", None) for keyword in call.keywords):
            change.need("from torch.distributed.checkpoint import DefaultLoadPlanner")
            change.add_argument(call, "planner=DefaultLoadPlanner(allow_partial_load=True)")
    return change.done()


def first_rate_known(situation: Situation) -> Mend | None:
    """Tell the optimizer its first learning rate before a schedule goes on in the middle."""
    texts = changed(situation, _patch_schedule)
    why = told(WHY, "initial_rate", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_schedule(source: Source) -> str | None:
    if "initial_lr" in source.text:
        return None
    change = Change(source)
    for node in source.find(ast.Call):
        assert isinstance(node, ast.Call)
        if not any(keyword.arg == "last_epoch" for keyword in node.keywords) or not node.args:
            continue
        optimizer, statement = source.of(node.args[0]), source.statement(node)
        change.before(
            statement,
            f"for group in {optimizer}.param_groups:",
            '    group.setdefault("initial_lr", group["lr"])',
        )
    return change.done()


def clip_by_torch(situation: Situation) -> Mend | None:
    """Clip the gradients of an FSDP2 model with torch's function; the method is FSDP1's."""
    texts = changed(situation, _patch_clip)
    why = told(WHY, "clip", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_clip(source: Source) -> str | None:
    if not source.calls("fully_shard"):
        return None
    change = Change(source)
    for call in source.calls("clip_grad_norm_"):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if owner is None or last_name(owner) in ("utils", "clip_grad") or len(call.args) != 1:
            continue
        change.need("import torch")
        start, _ = source.span(call.args[0])
        _, end = source.span(call)
        rest = source.text[start:end]
        change.replace(call, f"torch.nn.utils.clip_grad_norm_({source.of(owner)}.parameters(), {rest}")
    return change.done()


def gentler_steps(situation: Situation) -> Mend | None:
    """Take a tenth of the learning rate, and keep the gradient to a norm of 1."""
    texts = changed(situation, _patch_rate)
    if not texts:
        return None
    why = told(WHY, "script_rate", situation.language)
    return Mend(
        "script", why, texts=texts, costs=told(COSTS, "slow_learning", situation.language), resume="before_trouble"
    )


def _patch_rate(source: Source) -> str | None:
    change = Change(source)
    clipped = bool(source.calls("clip_grad_norm_", "clip_grad_value_"))
    for call in source.find(ast.Call):
        assert isinstance(call, ast.Call)
        rate = next((keyword for keyword in call.keywords if keyword.arg == "lr"), None)
        walks = any(isinstance(node, ast.Attribute) and node.attr == "parameters" for node in ast.walk(call))
        if rate is None or not walks:
            continue
        change.replace(rate.value, f"0.1 * ({source.of(rate.value)})")
        made = source.statement(call)
        if clipped or not isinstance(made, ast.Assign) or len(made.targets) != 1:
            continue
        for step in source.calls("step"):
            owner = step.func.value if isinstance(step.func, ast.Attribute) else None
            if owner is not None and source.of(owner) == source.of(made.targets[0]):
                groups = f'(p for group in {source.of(owner)}.param_groups for p in group["params"])'
                change.before(source.statement(step), f"torch.nn.utils.clip_grad_norm_({groups}, 1.0)")
    return change.done()
