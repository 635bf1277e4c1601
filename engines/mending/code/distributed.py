"""How a script speaks of torch.distributed: its name for it, its rank guards, its collectives, its sharding."""

import ast

from engines.mending.code.source import Change, Source, last_name

COLLECTIVES = frozenset(
    [
        "all_reduce",
        "all_gather",
        "all_gather_into_tensor",
        "all_gather_object",
        "all_to_all",
        "all_to_all_single",
        "barrier",
        "broadcast",
        "broadcast_object_list",
        "gather",
        "gather_object",
        "monitored_barrier",
        "reduce",
        "reduce_scatter",
        "reduce_scatter_tensor",
        "scatter",
        "scatter_object_list",
        "full_tensor",
        "get_model_state_dict",
        "get_optimizer_state_dict",
        "get_state_dict",
        "set_model_state_dict",
        "set_optimizer_state_dict",
        "set_state_dict",
        "clip_grad_norm_",
        "get_total_norm",
    ]
)
"""Last names of calls that every rank of a sharded model has to make."""
_CHECKPOINTING = ("dcp", "checkpoint", "dist_cp", "DCP")
_GUARDS = ("is_main_process", "is_local_main_process", "is_main", "is_master", "is_rank_zero", "is_global_zero")
_SHARDING = ("fully_shard", "FSDP", "FullyShardedDataParallel")


def group_name(source: Source, change: Change | None = None) -> str:
    """Return the script's name for torch.distributed.

    Args:
        source: The script.
        change: Where an import is added if there is no name yet.
    """
    for node in source.find(ast.Import):
        assert isinstance(node, ast.Import)
        for alias in node.names:
            if alias.name == "torch.distributed":
                return alias.asname or alias.name
    for node in source.find(ast.ImportFrom):
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            if node.module == "torch" and alias.name == "distributed":
                return alias.asname or alias.name
    if change is not None:
        change.need("import torch.distributed as dist")
    return "dist"


def is_rank_test(test: ast.expr) -> bool:
    """Tell whether a condition holds on some ranks only, by the rank itself."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = (test.left, test.comparators[0])
        return any(_is_rank(side) for side in sides) and any(isinstance(side, ast.Constant) for side in sides)
    if isinstance(test, ast.Call):
        return last_name(test.func) in _GUARDS
    return last_name(test) in _GUARDS


def _is_rank(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        called = last_name(node.func)
        return called in ("get_rank", "get_global_rank") or (called == "int" and "RANK" in ast.dump(node))
    return last_name(node).lower() in ("rank", "global_rank", "local_rank", "process_index", "ddp_rank")


def is_collective(call: ast.Call, inside: frozenset[str] = frozenset()) -> bool:
    """Tell whether a call is one that every rank has to make.

    Args:
        call: The call.
        inside: Names of the script's own functions that make one.
    """
    name = last_name(call.func)
    if name in ("save", "async_save", "load") and isinstance(call.func, ast.Attribute):
        return last_name(call.func.value) in _CHECKPOINTING
    return name in COLLECTIVES or name in inside


def own_collectives(source: Source) -> frozenset[str]:
    """Return the names of the script's functions that make a collective outside of a rank guard."""
    known: set[str] = set()
    functions = [node for node in source.find(ast.FunctionDef) if isinstance(node, ast.FunctionDef)]
    while True:
        found = {
            function.name
            for function in functions
            if any(
                isinstance(node, ast.Call) and is_collective(node, frozenset(known)) and not guarded(source, node)
                for node in ast.walk(function)
            )
        }
        if found == known:
            return frozenset(known)
        known = found


def guarded(source: Source, node: ast.AST) -> bool:
    """Tell whether a node stands below a rank guard of its own function."""
    while not isinstance(node, ast.FunctionDef | ast.Module):
        parent = source.parents[node]
        if isinstance(parent, ast.If) and node is not parent.test and is_rank_test(parent.test):
            return True
        node = parent
    return False


def sharding_functions(source: Source) -> frozenset[str]:
    """Return the names that shard a model when they are called: those of torch, and the script's own that call them."""
    own = {
        node.name
        for node in source.find(ast.FunctionDef)
        if isinstance(node, ast.FunctionDef)
        and node.name not in ("main", "train", "run")
        and any(isinstance(inner, ast.Call) and last_name(inner.func) in _SHARDING for inner in ast.walk(node))
    }
    return frozenset(_SHARDING) | own


def shards(statement: ast.stmt, names: frozenset[str]) -> bool:
    """Tell whether a statement shards a model."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return False
    return any(isinstance(node, ast.Call) and last_name(node.func) in names for node in ast.walk(statement))
