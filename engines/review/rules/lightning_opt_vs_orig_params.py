"""LT301: use_orig_params=False with an optimizer over self.parameters()."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import constant
from engines.review.flow.lightning import strategies, strategy_of, trainers
from engines.review.flow.optimizers import optimizers
from engines.review.flow.values import Class, Function
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="LT301",
    slug="lightning-opt-vs-orig-params",
    severity="error",
    fix="Leave use_orig_params at its default (True), or use self.trainer.model.parameters().",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the argument where a LightningModule of the files builds its optimizer that way."""
    used = {id(strategy_of(trainer)) for trainer in trainers(flow.trace)}
    for event in strategies(flow.trace):
        if id(event) in used and constant(event.kwargs.get("use_orig_params")) is False and _builds_over_self(flow):
            yield at(
                event.module, _place(event.node), "the optimizer is built over parameters that the flat ones replace"
            )


def _place(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "use_orig_params":
                return keyword
    return node


def _builds_over_self(flow: Flow) -> bool:
    for module in flow.modules:
        for value in module.scope.vars.values():
            method = value.member("configure_optimizers") if isinstance(value, Class) else None
            if isinstance(method, Function) and "self.parameters()" in ast.unparse(method.node):
                return True
    return any(
        any(site.callee.name == "configure_optimizers" for site in event.stack)
        and any("trainer" not in owner.label for owner in owners)
        for event, owners in optimizers(flow.trace)
    )
