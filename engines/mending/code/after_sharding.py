"""What is made of the parameters before they are sharded holds tensors that are replaced: it is made after it."""

import ast

from contracts.wording import told
from engines.mending.code.distributed import sharding_functions, shards
from engines.mending.code.source import Change, Source, changed, names_in
from engines.mending.phrases import WHY
from engines.mending.situation import Mend, Situation

_OF_PARAMETERS = ("parameters", "named_parameters", "trainable_parameters")


def optimizer_after_sharding(situation: Situation) -> Mend | None:
    """Build the optimizer, and what else is made of the parameters, after the model was sharded."""
    texts = changed(situation, _patch)
    if not texts:
        return None
    why = told(WHY, "made_before_sharding", situation.language)
    # the moments that were saved, if any, belong to parameters that were never trained
    return Mend("script", why, texts=texts, resume="beginning")


def _patch(source: Source) -> str | None:
    names = sharding_functions(source)
    change = Change(source)
    for block in _blocks(source):
        places = [number for number, statement in enumerate(block) if shards(statement, names)]
        if not places:
            continue
        last = places[-1]
        moved: list[ast.stmt] = []
        taken: set[str] = set()
        for statement in block[: last + 1]:
            if shards(statement, names):
                if names_in(statement) & taken:
                    return None  # the sharding itself uses what would come after it
                continue
            if _made_of_parameters(statement) or names_in(statement) & taken:
                if not isinstance(statement, ast.Assign | ast.Expr):
                    return None
                moved.append(statement)
                taken |= {name for name in names_in(statement) if _stores(statement, name)}
        if any(isinstance(statement, ast.Assign) for statement in moved):
            for statement in moved:
                change.move_after(statement, block[last])
    return change.done()


def _blocks(source: Source) -> list[list[ast.stmt]]:
    return [
        source.tree.body,
        *(node.body for node in source.find(ast.FunctionDef) if isinstance(node, ast.FunctionDef)),
    ]


def _made_of_parameters(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign):
        return False
    return any(isinstance(node, ast.Attribute) and node.attr in _OF_PARAMETERS for node in ast.walk(statement.value))


def _stores(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(statement)
    )
