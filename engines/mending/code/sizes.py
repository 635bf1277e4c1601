"""Numbers that a script takes from its command line: the batch, and the checkpoint that it starts from."""

import ast
import re

from contracts.wording import told
from engines.mending.code.source import Source
from engines.mending.phrases import COSTS, WHY
from engines.mending.situation import Mend, Situation

_BATCH = re.compile(r"(?:micro_?|per_device_(?:train_)?|train_)?batch(?:_?size)?|bsz|bs")
_BATCH_OPTION = re.compile(r"--(?:micro[-_]?|per[-_]device[-_](?:train[-_])?|train[-_])?batch(?:[-_]?size)?")
_ACCUMULATION_OPTION = re.compile(r"--(?:grad(?:ient)?[-_])?accum(?:ulation)?(?:[-_]steps)?")
_SHARES = (8, 4, 2)
"""A batch that was too large by an unknown amount is divided by the first of these that divides it."""


def smaller_batch(situation: Situation) -> Mend | None:
    """Take an eighth of the command line's batch, accumulating eight times as often where that can be said."""
    script = situation.request.script
    if script is None:
        return None
    place = _option(script.args, _BATCH_OPTION)
    if place is None:
        place = _position(situation)
    if place is None or not script.args[place].rpartition("=")[2].isdecimal():
        return None
    before = int(script.args[place].rpartition("=")[2])
    share = next((share for share in _SHARES if before % share == 0), None)
    if share is None:
        return None
    args = [*script.args]
    args[place] = _with_value(args[place], before // share)
    again = _option(script.args, _ACCUMULATION_OPTION)
    kept = again is not None and args[again].rpartition("=")[2].isdecimal()
    if again is not None and kept:
        args[again] = _with_value(args[again], int(args[again].rpartition("=")[2]) * share)
    language = situation.language
    why = told(
        WHY, "smaller_batch_kept" if kept else "smaller_batch", language, before=before, to=before // share, times=share
    )
    fewer = told(COSTS, "fewer_examples", language, times=share)
    costs = told(COSTS, "small_matrices", language) if kept else fewer
    return Mend("launch", why, settings={"script.args": args}, costs=costs)


def earlier_checkpoint(situation: Situation) -> Mend | None:
    """Start from the newest whole checkpoint before the one that the command line names."""
    script = situation.request.script
    if script is None or not situation.earlier_input:
        return None
    args = [situation.earlier_input.get(argument, argument) for argument in script.args]
    if args == [*script.args]:
        return None
    pairs = [(old, new) for old, new in zip(script.args, args, strict=True) if old != new]
    why = told(WHY, "earlier_checkpoint", situation.language, old=pairs[0][0], new=pairs[0][1])
    return Mend("launch", why, settings={"script.args": args}, costs=told(COSTS, "steps_again", situation.language))


def _option(arguments: tuple[str, ...], pattern: re.Pattern[str]) -> int | None:
    """Return the place of an option's value."""
    for number, argument in enumerate(arguments):
        name, equals, _ = argument.partition("=")
        if pattern.fullmatch(name):
            return number if equals else (number + 1 if number + 1 < len(arguments) else None)
    return None


def _position(situation: Situation) -> int | None:
    """Return the place of the positional argument that the script takes for its batch."""
    found = set()
    for text in situation.sources.values():
        try:
            source = Source(text)
        except (SyntaxError, ValueError):
            continue
        for node in source.find(ast.Assign):
            if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
                continue
            match = re.fullmatch(r"int\((?:sys\.)?argv\[(\d+)\]\)", source.of(node.value))
            if match and _BATCH.fullmatch(node.targets[0].id.lower()):
                found.add(int(match[1]) - 1)
    place = found.pop() if len(found) == 1 else None
    script = situation.request.script
    return place if script is not None and place is not None and 0 <= place < len(script.args) else None


def _with_value(argument: str, value: int) -> str:
    name, equals, _ = argument.rpartition("=")
    return f"{name}{equals}{value}"
