"""Repairs: for some rules, the edit that mends a finding without a decision of a person.

Each repair replaces text inside the lines of one call or one setting, and is offered only where
the result still parses. A test applies every repair and reviews the result: the finding is gone
and no other line has changed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import NamedTuple

from contracts.finding import Edit, Finding


class Place(NamedTuple):
    """Where a finding is."""

    lines: list[str]
    """The file's lines, without their ends."""
    tree: ast.Module | None
    """Its syntax tree; None for files that are no Python."""
    finding: Finding

    @property
    def line(self) -> str:
        """The line of the finding."""
        return self.lines[self.finding.line - 1]

    def call(self, *names: str) -> ast.Call | None:
        """Return the call that starts at the finding, or the only one on its line, with one of these last names.

        Args:
            names: Last parts of the callee's dotted name; any where none is given.
        """
        found = [node for node in ast.walk(self.tree or ast.Module([], [])) if isinstance(node, ast.Call)]
        named = [node for node in found if not names or _last(node.func) in names]
        exact = [n for n in named if (n.lineno, n.col_offset + 1) == (self.finding.line, self.finding.column)]
        if not exact:
            exact = [node for node in named if node.lineno <= self.finding.line <= (node.end_lineno or node.lineno)]
        return exact[0] if len(exact) == 1 else None


Repair = Callable[[Place], Edit | None]


def edit_for(lines: list[str], tree: ast.Module | None, finding: Finding) -> Edit | None:
    """Return the edit that mends a finding, None where there is none that is safe.

    Args:
        lines: The file's lines, without their ends.
        tree: Its syntax tree; None for files that are no Python.
        finding: What was found in it.
    """
    repair = REPAIRS.get(finding.rule)
    if repair is None or finding.line > len(lines):
        return None
    edit = repair(Place(lines, tree, finding))
    if edit is None or edit.new == edit.old:
        return None
    if tree is not None:
        changed = [*lines[: edit.line - 1], *edit.new, *lines[edit.line - 1 + len(edit.old) :]]
        try:
            ast.parse("\n".join(changed))
        except (SyntaxError, ValueError):
            return None
    return edit


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _end(node: ast.expr) -> tuple[int, int]:
    """Return the end of a node: 1-based line, offset in UTF-8 bytes."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int], new: str) -> Edit:
    """Replace the text between two places, given as 1-based line and offset in UTF-8 bytes."""
    head = lines[start[0] - 1].encode()[: start[1]].decode()
    tail = lines[end[0] - 1].encode()[end[1] :].decode()
    return Edit(line=start[0], old=tuple(lines[start[0] - 1 : end[0]]), new=tuple((head + new + tail).split("\n")))


def _with_argument(place: Place, call: ast.Call | None, argument: str) -> Edit | None:
    """Add a keyword argument behind the last argument of a call."""
    if call is None or call.end_lineno is None or call.end_col_offset is None:
        return None
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if any(isinstance(value, ast.Starred | ast.GeneratorExp) for value in given):
        return None
    last = max(given, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0), default=None)
    if last is None:
        end = (call.end_lineno, call.end_col_offset - 1)
        return _between(place.lines, end, end, argument)
    end = _end(last)
    rest = place.lines[end[0] - 1].encode()[end[1] :].decode()
    if rest.lstrip().startswith((")", ",")) or not rest.strip():
        return _between(place.lines, end, end, f", {argument}")
    return None


def _on_line(pattern: str, replacement: str) -> Repair:
    """Replace what matches a pattern once on the line of the finding."""
    compiled = re.compile(pattern)

    def repair(place: Place) -> Edit | None:
        new, times = compiled.subn(replacement, place.line)
        return Edit(line=place.finding.line, old=(place.line,), new=(new,)) if times == 1 else None

    return repair


def _delete_line(place: Place) -> Edit | None:
    """Delete a setting that has no effect: `key: value` alone on its line, its section not left empty."""
    if not re.match(r"^\s+[\w\"']+\s*:\s*[^\s\[{|>&*][^{\[]*$", place.line):
        return None
    indent = len(place.line) - len(place.line.lstrip())
    near = [
        n for n in place.lines if n.strip() and len(n) - len(n.lstrip()) == indent and not n.lstrip().startswith("#")
    ]
    return Edit(line=place.finding.line, old=(place.line,), new=()) if len(near) > 1 else None


def _call_the_module(place: Place) -> Edit | None:
    """model.forward(x) becomes model(x)."""
    call = place.call("forward")
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value
    return _between(place.lines, _end(owner), _end(call.func), "")


def _clip_by_the_wrapper(place: Place) -> Edit | None:
    """torch.nn.utils.clip_grad_norm_(model.parameters(), c) becomes model.clip_grad_norm_(c)."""
    call = place.call()
    if call is None or len(call.args) < 2 or call.keywords or call.end_lineno is None or call.end_col_offset is None:
        return None
    walk = call.args[0]
    plain = isinstance(walk, ast.Call) and isinstance(walk.func, ast.Attribute) and walk.func.attr == "parameters"
    if not plain or not isinstance(walk, ast.Call) or walk.args or walk.keywords or len(call.args) != 2:
        return None
    assert isinstance(walk.func, ast.Attribute)
    new = f"{ast.unparse(walk.func.value)}.clip_grad_norm_({ast.unparse(call.args[1])})"
    return _between(place.lines, (call.lineno, call.col_offset), (call.end_lineno, call.end_col_offset), new)


def _without_grad(place: Place) -> Edit | None:
    """Put @torch.no_grad() above the function in which the finding is."""
    functions = [
        node
        for node in ast.walk(place.tree or ast.Module([], []))
        if isinstance(node, ast.FunctionDef) and node.lineno <= place.finding.line <= (node.end_lineno or 0)
    ]
    if not functions or not any(re.match(r"import torch\s*(#|$|,)", line) for line in place.lines):
        return None
    inner = max(functions, key=lambda node: node.lineno)
    first = min([inner.lineno, *(decorator.lineno for decorator in inner.decorator_list)])
    if inner.decorator_list:
        return None
    indent = place.lines[first - 1][: inner.col_offset]
    return Edit(line=first, old=(), new=(f"{indent}@torch.no_grad()",))


def _argument(argument: str, *names: str) -> Repair:
    """Add a keyword argument to the call of one of these names; a name in it must be known to the file."""

    def repair(place: Place) -> Edit | None:
        if argument.partition("=")[2].startswith("torch.") and not any(
            re.match(r"import torch\s*(#|$|,)", line) for line in place.lines
        ):
            return None
        call = place.call(*names)
        taken = call is not None and any(k.arg in (None, argument.partition("=")[0]) for k in call.keywords)
        return None if taken else _with_argument(place, call, argument)

    return repair


def _number_of_norm(place: Place) -> Edit | None:
    """f"{norm:.3f}" becomes f"{norm.item():.3f}", where the line has one such name."""
    found = re.findall(r"\{([A-Za-z_][\w.]*):[^}]*[efg]\}", place.line)
    names = [name for name in found if re.search(r"norm|gn|grad", name)]
    if len(names) != 1 or not re.search(r"\bf[\"']", place.line):
        return None
    new = place.line.replace(f"{{{names[0]}:", f"{{{names[0]}.item():")
    return Edit(line=place.finding.line, old=(place.line,), new=(new,))


def _without_comment(place: Place) -> Edit | None:
    """Remove a suppression that silences nothing."""
    kept = re.sub(r"\s*#\s*fsdp:\s*ignore\[[^\]]*\].*$", "", place.line)
    return Edit(line=place.finding.line, old=(place.line,), new=(kept,) if kept.strip() else ())


_MOVED = (
    (r"from torch\.distributed\._composable import (fully_shard)", r"from torch.distributed.fsdp import \1"),
    (r"from torch\.distributed\._composable\.fsdp import (\w+(?:, ?\w+)*)", r"from torch.distributed.fsdp import \1"),
    (
        r"from torch\.distributed\.fsdp import (ShardedGradScaler)",
        r"from torch.distributed.fsdp.sharded_grad_scaler import \1",
    ),
)
"""Imports that are whole on their line, and where their names are now."""


def _new_home(place: Place) -> Edit | None:
    """Import names from where they are now."""
    for old, new in _MOVED:
        match = re.match(rf"(\s*){old}(\s*(?:#.*)?)$", place.line)
        if match is not None:
            changed = re.sub(old, new, place.line, count=1)
            return Edit(line=place.finding.line, old=(place.line,), new=(changed,))
    return None


REPAIRS: dict[str, Repair] = {
    "FSDP053": _argument("writeback=False", "summon_full_params"),
    "FSDP054": _argument('map_location="cpu"', "load"),
    "FSDP060": _argument("reduce_dtype=torch.float32", "MixedPrecision", "MixedPrecisionPolicy"),
    "FSDP067": _clip_by_the_wrapper,
    "FSDP070": _number_of_norm,
    "FSDP080": _call_the_module,
    "FSDP088": _without_grad,
    "FSDP105": _argument("device_id=torch.cuda.current_device()", "FSDP", "FullyShardedDataParallel"),
    "FSDP111": _on_line(r"use_reentrant=True", "use_reentrant=False"),
    "FSDP120": _new_home,
    "HF202": _delete_line,
    "LN402": _on_line(r"\btorchrun (?=\S)", "torchrun --nproc-per-node=gpu "),
    "LN406": _on_line(
        r"(?<![\w])NCCL_(ASYNC_ERROR_HANDLING|BLOCKING_WAIT|DESYNC_DEBUG|ENABLE_TIMING)\b", r"TORCH_NCCL_\1"
    ),
    "LN408": _on_line(r"\bPYTORCH_CUDA_ALLOC_CONF\b", "PYTORCH_ALLOC_CONF"),
    "RV001": _without_comment,
}
"""The repair of each rule that has one."""
