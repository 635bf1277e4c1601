"""Decisions that each rank takes by itself, and orders that differ from rank to rank."""

import ast

from contracts.wording import told
from engines.mending.code.batches import on_gpus
from engines.mending.code.distributed import group_name, is_collective, is_rank_test, own_collectives
from engines.mending.code.source import Change, Source, changed, last_name, names_in
from engines.mending.phrases import COSTS, WHY
from engines.mending.situation import Mend, Situation


def decide_together(situation: Situation) -> Mend | None:
    """Let all ranks leave the training loop where one of them would."""
    texts = changed(situation, _patch)
    if not texts:
        return None
    why = told(WHY, "loop_left", situation.language)
    return Mend("script", why, texts=texts, costs=told(COSTS, "all_reduce", situation.language))


def _patch(source: Source) -> str | None:
    change = Change(source)
    number = 0
    for node in source.find(ast.Break):
        assert isinstance(node, ast.Break)
        guard = source.parents[node]
        if not isinstance(guard, ast.If) or node not in guard.body or guard.orelse or is_rank_test(guard.test):
            continue
        loop = source.parents[guard]
        inside = isinstance(loop, ast.For | ast.While) and guard in loop.body
        if not inside or not _trains(loop) or _same_everywhere(guard.test) or _agreed(loop, guard.test):
            continue
        name = "stop_on_any_rank" + (f"_{number}" if number else "")
        number += 1
        dist = group_name(source, change)
        device = "cuda" if on_gpus(source) else "cpu"
        change.before(
            guard,
            f'{name} = torch.tensor(float(bool({source.of(guard.test)})), device="{device}")',
            f"{dist}.all_reduce({name}, op={dist}.ReduceOp.MAX)",
        )
        change.replace(guard.test, f"{name}.item() > 0")
    return change.done()


def _trains(loop: ast.AST) -> bool:
    return any(isinstance(node, ast.Call) and last_name(node.func) == "backward" for node in ast.walk(loop))


def _agreed(loop: ast.AST, test: ast.expr) -> bool:
    """Tell whether what a condition is about was reduced over the ranks in the same loop."""
    reduced = {
        name
        for node in ast.walk(loop)
        if isinstance(node, ast.Call) and last_name(node.func) in ("all_reduce", "broadcast", "all_gather")
        for name in names_in(node)
    }
    return bool(names_in(test) & reduced)


def _same_everywhere(test: ast.expr) -> bool:
    """Tell whether a condition is about the number of the step alone."""
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
    return not calls and all("step" in name or name.isupper() or name in ("epoch", "i") for name in names)


def one_order(situation: Situation) -> Mend | None:
    """Let all ranks go through a dictionary in the order of its keys."""
    texts = changed(situation, _patch_order)
    why = told(WHY, "order_of_keys", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_order(source: Source) -> str | None:
    inside = own_collectives(source)
    change = Change(source)
    for node in source.find(ast.For):
        assert isinstance(node, ast.For)
        calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
        if not any(is_collective(call, inside) for call in calls):
            continue
        walked = node.iter
        if not isinstance(walked, ast.Call) or last_name(walked.func) not in ("items", "keys", "values"):
            continue
        owner = source.of(walked.func.value) if isinstance(walked.func, ast.Attribute) else ""
        match last_name(walked.func):
            case "items":
                # by the key alone: values need not be comparable
                change.replace(walked, f"sorted({owner}.items(), key=lambda entry: str(entry[0]))")
            case "keys":
                change.replace(walked, f"sorted({owner}, key=str)")
            case _:
                change.replace(walked, f"({owner}[key] for key in sorted({owner}, key=str))")
    return change.done()


def group_to_the_end(situation: Situation) -> Mend | None:
    """Destroy the process group after the last collective."""
    texts = changed(situation, _patch_end)
    why = told(WHY, "destroyed_early", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_end(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("destroy_process_group"):
        statement = source.statement(call)
        block = source.block(statement)
        if isinstance(statement, ast.Expr) and statement is not block[-1] and block is not source.tree.body:
            if isinstance(block[-1], ast.Return):
                return None
            change.move_after(statement, block[-1])
    return change.done()
