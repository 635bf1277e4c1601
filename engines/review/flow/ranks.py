"""Ranks: which values differ between ranks, and which conditions therefore part them."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from engines.review.flow.knowing import constant, options
from engines.review.flow.names import GET_RANK
from engines.review.flow.values import Alt, Const, Obj, RankKind, Value

_MAIN = re.compile(
    r"^_?(is|am|on)_?(the_)?(local_|global_|world_|node_)?(main|master|primary|chief|leader)(_?(process|rank|proc|node|worker))?$"
    r"|^(is|am)_?(global_|local_|world_)?rank_?(0|zero)$|^rank_?(0|zero)$|^is_(global|local)_zero$"
    r"|^(local_)?(main|master)_(process|rank|proc)$|^is_(rank_zero|root|logging_process|log_rank|coordinator)$"
    r"|^is_(local|world)_process_zero$"
)
_GLOBAL = re.compile(
    r"^_?(global_?rank|world_?rank|rank|get_rank|get_global_rank|process_index|proc_id)$", re.IGNORECASE
)
_LOCAL = re.compile(r"^_?(local_?rank|get_local_rank|local_process_index)$", re.IGNORECASE)
_LOW_RANK = re.compile(r"lora|adapter|peft|low_?rank|galore|svd", re.IGNORECASE)
_ENVIRONMENT: dict[str, RankKind] = {
    "RANK": "global",
    "SLURM_PROCID": "global",
    "LOCAL_RANK": "local",
    "SLURM_LOCALID": "local",
    "OMPI_COMM_WORLD_RANK": "global",
    "OMPI_COMM_WORLD_LOCAL_RANK": "local",
}
ONLY_MAIN = re.compile(
    r"^(rank_zero_only|rank0_only|main_process_only|master_only|on_main_process|on_local_main_process)$"
)
"""Decorators whose function runs on one rank only."""


@cache
def by_name(name: str) -> RankKind:
    """Tell what the name of a parameter, attribute or unresolved function says about ranks."""
    if _MAIN.match(name):
        return "main"
    if _LOCAL.match(name):
        return "local"
    return "global" if _GLOBAL.match(name) else ""


def of_attribute(owner: Obj, name: str) -> RankKind:
    """Tell what an attribute says about ranks by its name; the rank of a low-rank matrix is none of the job's."""
    described = owner.label if owner.cls is None else f"{owner.label} {owner.cls.node.name}"
    return "" if name == "rank" and _LOW_RANK.search(described) else by_name(name)


def of_environment(variable: str) -> RankKind:
    """Tell what an environment variable says about ranks."""
    return _ENVIRONMENT.get(variable, "")


def of_call(qual: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> RankKind:
    """Tell what the result of an external call says about ranks."""
    last = qual.rpartition(".")[2]
    if qual == GET_RANK or last in ("get_rank", "get_global_rank"):
        group = args[0] if args else kwargs.get("group")
        return "global" if group is None or (isinstance(group, Const) and group.value is None) else ""
    if last in ("get_node_local_rank",):
        return "local"
    return by_name(last)


def inherited(sources: tuple[Value, ...]) -> RankKind:
    """Tell what a value that was computed from others says about ranks."""
    for source in sources:
        for option in options(source):
            if isinstance(option, Obj) and option.rank and not option.uniform:
                return option.rank
    return ""


def divergent(value: Value, depth: int = 6) -> bool:
    """Tell whether the truth of a value differs between ranks of the job.

    A comparison with a sentinel (-1, None) asks whether the job is distributed at all;
    that is the same on all ranks.
    """
    return parts(value, True, depth) or parts(value, False, depth)


def parts(value: Value, holds: bool, depth: int = 6) -> bool:
    """Tell whether a condition that holds (or not) is certainly one that only some ranks meet.

    `a and main` holds on some ranks only; that it fails says nothing, since `a` may be what
    fails. Tests for a job of one process count as false.
    """
    if depth == 0:
        return False
    if isinstance(value, Alt):
        return any(parts(option, holds, depth - 1) for option in value.options)
    if not isinstance(value, Obj) or value.uniform:
        return False
    if value.op == "not" and value.sources:
        return parts(value.sources[0], not holds, depth - 1)
    if value.op == "compare":
        return _parts_ranks(value)
    if value.op == "bool" and value.sources and not value.rank:
        return _combined(value, holds, depth)
    return bool(value.rank)


def _combined(value: Obj, holds: bool, depth: int) -> bool:
    """`and` that holds needs all its operands, `or` that fails too; else any of them will do."""
    needs_all = (value.label == "and") == holds
    found = [parts(source, holds, depth - 1) for source in value.sources]
    if needs_all:
        return any(found)
    return all(
        is_found or single_process(source) for is_found, source in zip(found, value.sources, strict=True)
    ) and any(found)


def single_process(value: Value) -> bool:
    """Tell whether a test asks whether the job is distributed at all."""
    for option in options(value):
        inner, _ = strip_not(option)
        if isinstance(inner, Obj) and inner.op == "bool" and any(map(single_process, inner.sources)):
            return True
        text = inner.label if isinstance(inner, Obj) else ""
        if isinstance(inner, Obj) and inner.made is not None:
            text = inner.made.qual or inner.made.method
        if isinstance(inner, Obj) and inner.op == "compare":
            text = " ".join(source.label for source in inner.sources if isinstance(source, Obj))
        if re.search(r"distributed$|is_initialized|is_available|world_size|_ddp$|use_dist", text):
            return True
    return False


def of_one_rank(test: Value, holds: bool) -> bool:
    """Tell whether a condition says that the job has one rank, where it holds (or not), its negations left away."""
    test = strip_not(test)[0]
    if not isinstance(test, Obj):
        return False
    if test.op == "bool" and (test.label == "and") == holds:
        return any(of_one_rank(source, holds != strip_not(source)[1]) for source in test.sources)
    if test.op != "compare" or len(test.sources) != 2 or not _world_size(test.sources[0]):
        return False
    most = {("==", 1): True, ("<=", 1): True, ("<", 2): True, (">", 1): False, (">=", 2): False}
    number = constant(test.sources[1])
    return isinstance(number, int) and most.get((test.label, number)) is holds


def opposite(first: Value, first_holds: bool, second: Value, second_holds: bool) -> bool:
    """Tell whether one condition is met by just the ranks that the other leaves out: rank == 0 and rank != 0.

    Args:
        first: A test.
        first_holds: Whether it holds, its negations (`not`, `!=`) left away.
        second: Another one.
        second_holds: The same for that one.
    """
    one, other = _chosen(first), _chosen(second)
    if one is None or other is None or one[0] != other[0]:
        return False
    return (first_holds != one[1]) != (second_holds != other[1])


def _chosen(test: Value) -> tuple[tuple[str, int], bool] | None:
    """Return which rank a test without its negations asks for, and whether it is met by all others instead."""
    test = strip_not(test)[0]
    if not isinstance(test, Obj):
        return None
    if test.op == "compare" and test.label == "==" and len(test.sources) == 2:
        kind, number = inherited(test.sources[:1]), constant(test.sources[1])
        return ((kind, number), False) if kind and isinstance(number, int) else None
    if test.op in ("compare", "bool") or not test.rank or test.uniform:
        return None
    return (("global", 0), False) if test.rank == "main" else ((test.rank, 0), True)


def _parts_ranks(test: Obj) -> bool:
    if len(test.sources) != 2:
        return False
    left, right = test.sources
    sides = [inherited((left,)), inherited((right,))]
    if not any(sides):
        return False
    if "main" in sides:
        return True
    other = right if sides[0] else left
    if isinstance(other, Const) and (other.value is None or str(other.value) == "-1" or other.value == ""):
        return False
    if isinstance(other, Obj) and (other.op == "elem" or other.label == "index"):
        return False  # ranks take turns
    if test.label in ("<", ">=") and sides[0] and constant(other) == 0:
        return False
    if all(sides):
        return False
    return test.label in ("==", "!=", "<", ">", "<=", ">=", "in", "not in", "is", "is not") and not _world_size(other)


def _world_size(value: Value) -> bool:
    return isinstance(value, Obj) and (value.label.endswith("world_size") or value.qual.endswith("get_world_size"))


def parted_by_rank(joined: Value) -> Value:
    """A flag that is set under a condition on the rank differs between ranks from then on."""
    found = options(joined)
    if len(found) < 2 or not all(_is_flag(option) for option in found):
        return joined
    return Obj("bool", "parted", sources=found, rank="main")


def _is_flag(value: Value) -> bool:
    """Tell whether a value is a literal, a condition or a count."""
    if isinstance(value, Const):
        return True
    return isinstance(value, Obj) and (value.op in ("compare", "bool", "not") or value.label in ("+", "Sub"))


def alone(value: Value) -> Value:
    """Return a flag or rank as a job of one process has it: it is the same everywhere."""
    if not any(isinstance(o, Obj) and (o.rank or o.op in ("compare", "bool", "not")) for o in options(value)):
        return value
    same = Obj("expr", "alone", sources=(value,))
    same.uniform = True
    return same


def strip_not(test: Value) -> tuple[Value, bool]:
    """Return a test without negation (`not`, `!=`), and whether it was negated."""
    odd = False
    while isinstance(test, Obj) and test.op == "not" and test.sources:
        test, odd = test.sources[0], not odd
    if isinstance(test, Obj) and test.op == "compare" and test.label in _OPPOSITE:
        opposite = Obj("compare", _OPPOSITE[test.label], sources=test.sources, node=test.node)
        return opposite, not odd
    return test, odd


def implied(test: Value, holds: bool) -> Iterator[tuple[Value, bool]]:
    """Yield the conditions that certainly hold, or do not, where a test does: the parts of `a and not b`.

    Args:
        test: The test.
        holds: Whether it holds.
    """
    plain, odd = strip_not(test)
    holds = holds != odd
    yield plain, holds
    if isinstance(plain, Obj) and plain.op == "bool" and (plain.label == "and") == holds:
        for source in plain.sources:
            yield from implied(source, holds)


def operator(node: ast.cmpop) -> str:
    """Return how a comparison operator is written."""
    return _OPERATORS.get(type(node), "?")


_OPPOSITE = {"!=": "==", "is not": "is", "not in": "in"}

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
