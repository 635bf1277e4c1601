"""Dtypes that do not meet: inputs, units, losses."""

import ast

from contracts.wording import told
from engines.mending.code.source import Change, Source, changed, last_name
from engines.mending.phrases import COSTS, WHY
from engines.mending.situation import Mend, Situation


def cast_inputs(situation: Situation) -> Mend | None:
    """Let the mixed-precision policy cast the inputs of a unit."""
    texts = changed(situation, _patch_policy)
    why = told(WHY, "policy_casts", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_policy(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("MixedPrecisionPolicy", "MixedPrecision"):
        for keyword in call.keywords:
            off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            if keyword.arg in ("cast_forward_inputs", "cast_root_forward_inputs") and off:
                change.drop_argument(call, keyword)
    return change.done()


def cast_hidden_inputs(situation: Situation) -> Mend | None:
    """Cast what a forward takes out of an object or a dictionary, into which the policy does not look."""
    texts = changed(situation, _patch_hidden)
    why = told(WHY, "forward_casts", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_hidden(source: Source) -> str | None:
    dtypes = {
        source.of(keyword.value)
        for call in source.calls("MixedPrecisionPolicy")
        for keyword in call.keywords
        if keyword.arg == "param_dtype"
    }
    if len(dtypes) != 1:
        return None
    dtype = dtypes.pop()
    change = Change(source)
    for function in source.find(ast.FunctionDef):
        if not isinstance(function, ast.FunctionDef) or function.name != "forward":
            continue
        given = {argument.arg for argument in function.args.args[1:]}
        for statement in function.body:
            value = statement.value if isinstance(statement, ast.Assign) else None
            if not isinstance(value, ast.Attribute | ast.Subscript) or getattr(value.value, "id", "") not in given:
                continue
            text = source.of(value)
            change.replace(value, f"{text}.to({dtype}) if {text}.is_floating_point() else {text}")
    return change.done()


def one_dtype(situation: Situation) -> Mend | None:
    """Leave out the cast of a part to fp32, so that a unit has one dtype."""
    texts = changed(situation, _patch_parts)
    why = told(WHY, "two_dtypes", situation.language)
    return (
        Mend("script", why, texts=texts, costs=told(COSTS, "lower_precision", situation.language), resume="beginning")
        if texts
        else None
    )


def _patch_parts(source: Source) -> str | None:
    change = Change(source)
    low = [call for call in source.calls("to", "bfloat16", "half") if _low(source, call)]
    models = {source.of(call.func.value) for call in low if isinstance(call.func, ast.Attribute)}
    for call in source.calls("float", "to"):
        statement = source.statement(call)
        if (
            not isinstance(statement, ast.Expr)
            or statement.value is not call
            or not isinstance(call.func, ast.Attribute)
        ):
            continue
        full = last_name(call.func) == "float" or any("float32" in source.of(argument) for argument in call.args)
        part = call.func.value
        whole = part.value if isinstance(part, ast.Subscript | ast.Attribute) else None
        if full and whole is not None and source.of(whole) in models:
            change.drop(statement)
    return change.done()


def _low(source: Source, call: ast.Call) -> bool:
    name = last_name(call.func)
    if name in ("bfloat16", "half"):
        return not call.args
    return any("bfloat16" in source.of(argument) or "float16" in source.of(argument) for argument in call.args)
