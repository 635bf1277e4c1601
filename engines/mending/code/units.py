"""What is made a unit, and by which way its parameters are used."""

import ast

from contracts.wording import told
from engines.mending.code.source import Change, Source, changed, last_name, names_in
from engines.mending.phrases import COSTS, WHY
from engines.mending.situation import Mend, Situation


def layers_as_units(situation: Situation) -> Mend | None:
    """Shard each layer of a container that has no forward of its own."""
    texts = changed(situation, _patch_container)
    why = told(WHY, "container", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_container(source: Source) -> str | None:
    lists = {
        last_name(target)
        for node in source.find(ast.Assign)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and last_name(node.value.func) in ("ModuleList", "ModuleDict")
        for target in node.targets
    }
    dicts = {
        last_name(target)
        for node in source.find(ast.Assign)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and last_name(node.value.func) == "ModuleDict"
        for target in node.targets
    }
    change = Change(source)
    for call in source.calls("fully_shard"):
        statement = source.statement(call)
        if not isinstance(statement, ast.Expr) or statement.value is not call or not call.args:
            continue
        what = call.args[0]
        if last_name(what) not in lists or "\n" in source.of(call):
            continue
        walked = source.of(what) + (".values()" if last_name(what) in dicts else "")
        start, end = source.span(what)
        first, _ = source.span(call)
        text = source.of(call)
        inner = text[: start - first] + "layer" + text[end - first :]
        change.replace(call, f"for layer in {walked}:\n{source.indent(statement)}    {inner}")
    return change.done()


def whole_flat_parameter(situation: Situation) -> Mend | None:
    """Keep the original parameters, so that frozen and trained ones may share a unit of FSDP1."""
    texts = changed(situation, _patch_orig)
    why = told(WHY, "flat_parameter", situation.language)
    return (
        Mend("script", why, texts=texts, costs=told(COSTS, "frozen_gradients", situation.language)) if texts else None
    )


def _patch_orig(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("FSDP", "FullyShardedDataParallel"):
        given = {keyword.arg: keyword for keyword in call.keywords}
        if None in given:
            continue
        if "use_orig_params" not in given:
            change.add_argument(call, "use_orig_params=True")
        elif source.of(given["use_orig_params"].value) == "False":
            change.replace(given["use_orig_params"].value, "True")
    return change.done()


def tied_in_one_unit(situation: Situation) -> Mend | None:
    """Leave modules that share a weight to the unit around them."""
    texts = changed(situation, _patch_tied)
    why = told(WHY, "tied", situation.language)
    return Mend("script", why, texts=texts, costs=told(COSTS, "root_gathers", situation.language)) if texts else None


def _patch_tied(source: Source) -> str | None:
    tied: set[str] = set()
    for node in source.find(ast.Assign):
        assert isinstance(node, ast.Assign)
        sides = [*node.targets, node.value]
        owners = [side.value for side in sides if isinstance(side, ast.Attribute) and side.attr == "weight"]
        if len(owners) == len(sides) == 2:
            tied |= {last_name(owner) for owner in owners}
    change = Change(source)
    for call in source.calls("fully_shard"):
        statement = source.statement(call)
        if isinstance(statement, ast.Expr) and call.args and last_name(call.args[0]) in tied - {""}:
            change.drop(statement)
    return change.done()


def registered_method(situation: Situation) -> Mend | None:
    """Tell FSDP2 that a method of the model uses its parameters, as its forward does."""
    texts = changed(situation, _patch_method)
    why = told(WHY, "other_method", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_method(source: Source) -> str | None:
    methods = {
        inner.name
        for node in source.find(ast.ClassDef)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(f, ast.FunctionDef) and f.name == "forward" for f in node.body)
        for inner in node.body
        if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_") and inner.name != "forward"
    }
    change = Change(source)
    for call in source.calls("fully_shard"):
        statement, model = source.statement(call), call.args[0] if call.args else None
        if not isinstance(statement, ast.Expr) or not isinstance(model, ast.Name):
            continue
        known = {source.of(other.args[1]).strip("\"'") for other in _registrations(source, model.id)}
        used = sorted(
            {
                last_name(other.func)
                for other in source.find(ast.Call)
                if isinstance(other, ast.Call)
                and isinstance(other.func, ast.Attribute)
                and last_name(other.func) in methods - known
                and last_name(other.func.value) == model.id
            }
        )
        if used:
            change.need("from torch.distributed.fsdp import register_fsdp_forward_method")
            change.after(statement, *(f'register_fsdp_forward_method({model.id}, "{name}")' for name in used))
    return change.done()


def _registrations(source: Source, model: str) -> list[ast.Call]:
    calls = [call for call in source.calls("register_fsdp_forward_method") if len(call.args) == 2]
    return [call for call in calls if source.of(call.args[0]) == model]


def call_the_module(situation: Situation) -> Mend | None:
    """Call the module whose weight is used, so that its parameters are gathered for it."""
    texts = changed(situation, _patch_linear)
    why = told(WHY, "module_called", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_linear(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("linear"):
        if len(call.args) not in (2, 3) or call.keywords:
            continue
        parts = call.args[1:]
        names = [part.attr for part in parts if isinstance(part, ast.Attribute)]
        owners = {source.of(part.value) for part in parts if isinstance(part, ast.Attribute)}
        if names == ["weight", "bias"][: len(parts)] and len(owners) == 1:
            change.replace(call, f"{owners.pop()}({source.of(call.args[0])})")
    return change.done()


def copy_before_sharding(situation: Situation) -> Mend | None:
    """Copy the model before it is sharded, and shard the copy as the model is."""
    texts = changed(situation, _patch_copy)
    why = told(WHY, "copy", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_copy(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("deepcopy"):
        copied = source.statement(call)
        if not isinstance(copied, ast.Assign) or copied.value is not call or len(copied.targets) != 1:
            continue
        model, copy = call.args[0] if call.args else None, copied.targets[0]
        if not isinstance(model, ast.Name) or not isinstance(copy, ast.Name):
            continue
        block = source.block(copied)
        before = block[: block.index(copied)]
        sharding = [s for s in before if model.id in names_in(s) and "fully_shard" in names_in(s)]
        if not sharding:
            continue
        change.before(sharding[0], source.of(copied))
        change.drop(copied)
        for statement in sharding:
            change.after(sharding[-1], *_renamed(source, statement, model.id, copy.id).split("\n"))
    return change.done()


def _renamed(source: Source, statement: ast.stmt, old: str, new: str) -> str:
    """Return a statement's text with one name in the place of another, its lines moved to the margin."""
    first, _ = source.span(statement)
    text, indent = source.of(statement), source.indent(statement)
    places = [source.span(node) for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == old]
    for start, end in sorted(places, reverse=True):
        text = text[: start - first] + new + text[end - first :]
    return "\n".join(line.removeprefix(indent) for line in text.split("\n"))
