"""A collective below a rank guard: every rank has to make it, so it is taken out of the guard."""

import ast

from contracts.wording import told
from engines.mending.code.distributed import guarded, is_collective, is_rank_test, own_collectives
from engines.mending.code.source import Change, Source, changed, last_name, names_in
from engines.mending.phrases import WHY
from engines.mending.situation import Mend, Situation

_EFFECTS = (
    "save",
    "save_file",
    "save_pretrained",
    "print",
    "write",
    "dump",
    "mkdir",
    "makedirs",
    "info",
    "log",
    "remove",
)
"""Calls of the script that every rank would make at the same time, were they not guarded."""


def collective_out_of_guard(situation: Situation) -> Mend | None:
    """Let every rank make the collective; what writes or prints stays with the one rank."""
    texts = changed(situation, _patch)
    if not texts:
        return None
    why = told(WHY, "guarded_collective", situation.language)
    return Mend("script", why, texts=texts)


def _patch(source: Source) -> str | None:
    inside = own_collectives(source)
    change = Change(source)
    for node in source.find(ast.If):
        assert isinstance(node, ast.If)
        of_rank, rest = _parts(source, node.test)
        if not of_rank or node.orelse or guarded(source, node):
            continue
        out = _taken_out(source, node, inside)
        if out is None:
            return None
        _free(change, node, out, rest)
    return change.done()


def _parts(source: Source, test: ast.expr) -> tuple[bool, str]:
    """Tell whether a condition asks for the rank, and what else it asks for."""
    if is_rank_test(test):
        return True, ""
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
        return False, ""
    rest = [source.of(part) for part in test.values if not is_rank_test(part)]
    return len(rest) < len(test.values), " and ".join(rest)


def _free(change: Change, guard: ast.If, out: list[ast.stmt], rest: str) -> None:
    """Put statements of a guard in front of it, below what else it asks for."""
    if out and len(out) == len(guard.body):
        if rest:
            change.replace(guard.test, rest)
            return
        change.drop(guard)
    lines = [line for statement in out for line in _lines(change.source, statement)]
    if rest and lines:
        lines = [f"if {rest}:", *(f"    {line}" for line in lines)]
    if lines:
        change.before(guard, *lines)
    if len(out) < len(guard.body):
        for statement in out:
            change.drop(statement)


def _lines(source: Source, statement: ast.stmt) -> list[str]:
    """Return the lines of a simple statement, moved to where its guard stands."""
    indent = source.indent(statement)
    return [line.removeprefix(indent) for line in source.of(statement).split("\n")]


def _taken_out(source: Source, guard: ast.If, inside: frozenset[str]) -> list[ast.stmt] | None:
    """Return the statements of a guard that every rank has to reach; None where they cannot be told apart."""
    needed: set[str] = set()
    out: list[ast.stmt] = []
    for statement in reversed(guard.body):
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        collective = any(is_collective(call, inside) for call in calls)
        if not collective and not (_assigned(statement) & needed):
            continue
        if not isinstance(statement, ast.Assign | ast.Expr | ast.AnnAssign):
            return None
        # what is evaluated together cannot be taken apart: a save of a gathered dictionary in one line
        if any(last_name(call.func) in _EFFECTS and not is_collective(call, inside) for call in calls):
            return None
        if any(last_name(call.func) in inside and not _calm(source, last_name(call.func)) for call in calls):
            return None
        needed |= names_in(statement)
        out.insert(0, statement)
    return out


def _assigned(statement: ast.stmt) -> set[str]:
    if not isinstance(statement, ast.Assign):
        return set()
    return {name for target in statement.targets for name in names_in(target)}


def _calm(source: Source, name: str) -> bool:
    """Tell whether a function of the script guards by itself what only one rank is to do."""
    for function in source.find(ast.FunctionDef):
        if isinstance(function, ast.FunctionDef) and function.name == name:
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            loud = [call for call in calls if last_name(call.func) in _EFFECTS and not is_collective(call)]
            return all(guarded(source, call) for call in loud)
    return False


def one_dtype_on_all(situation: Situation) -> Mend | None:
    """Leave out a cast of the model on one rank alone."""
    texts = changed(situation, _patch_cast)
    if not texts:
        return None
    why = told(WHY, "one_rank_cast", situation.language)
    return Mend("script", why, texts=texts, resume="beginning")


def _patch_cast(source: Source) -> str | None:
    change = Change(source)
    for node in source.find(ast.If):
        assert isinstance(node, ast.If)
        if not is_rank_test(node.test) or node.orelse or not all(_casts(statement) for statement in node.body):
            continue
        change.drop(node)
    return change.done()


def _casts(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    if not isinstance(statement, ast.Expr | ast.Assign) or not isinstance(value, ast.Call):
        return False
    return last_name(value.func) in ("to", "half", "bfloat16", "float")
