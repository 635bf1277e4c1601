"""Budget: how many tokens a question wants trained and what a GPU hour costs, and what that makes of each option."""

import re
from collections.abc import Iterator

from contracts.study import Figure, Sentence
from engines.study.cells import Cell
from engines.study.facts import Facts
from engines.study.labels import joined
from engines.study.outline import Budget
from engines.study.racing import usable
from engines.study.texts import text

SECONDS_PER_HOUR = 3600
BILLION = 10**9

_SCALES = {
    "mia": 10**9,
    "milliard": 10**9,
    "mil": 10**6,
    "mio": 10**6,
    "bil": 10**9,
    "bn": 10**9,
    "b": 10**9,
    "m": 10**6,
    "tri": 10**12,
}
_AMOUNT = r"\d{1,6}(?:[.,]\d{1,3})?"
_SCALED = re.compile(
    rf"(?<![\w.,-])({_AMOUNT})\s?(mia\b\.?|milliard\w*|mio\b\.?|million\w*|bn\b|billion\w*|trillion\w*|[bm]\b)[\s-]"
    r"(?:\w+\s)?tokens?\b"
)
_PLAIN = re.compile(r"(?<![\w.,-])(\d{1,3}(?:[.,]\d{3}){2,4}|\d{8,13}) tokens?\b")
_TRAINS = re.compile(r"(?:train\w*|træn\w*|tun\w*|over|run\w*|kør\w*|process\w*)\s(?:\w+\s){0,2}$")
_CURRENCY = r"(?:us\$|\$|€|£|dollars?\b|usd\b|euros?\b|eur\b|kr\b\.?|kroner\b|dkk\b|pounds?\b|gbp\b)"
_PER_HOUR = (
    r"\s?(?:i|per|pr\.?|/|an|a|each|om)?\s?(?:(?:per|pr\.?|/|a|hver|each)?\s?"
    r"(gpu(?:'?en)?|card|kort|h\d00|a\d00|b200)[\s/-]{0,2}(?:i|an|a|per|pr\.?|/)?\s?)?(?:timen?\b|hours?\b|hr?\b)"
)
_PRICE = re.compile(rf"({_CURRENCY})\s?({_AMOUNT}){_PER_HOUR}|(?<![\w.,])({_AMOUNT})\s?({_CURRENCY}){_PER_HOUR}")
_BEHIND = re.compile(r"\s?(?:per|pr\.?|/|for each|for hver|a)\s?(?:gpu|card|kort|h\d00|a\d00|b200)")
_LEAST_MILLIONS = 10
"""Fewer millions of tokens than this are a context length, unless they are to be trained on."""


def read_budget(question: str) -> tuple[Budget, str]:
    """Return what a question states of tokens and price, and the question without it.

    Args:
        question: In lower case with uniform signs.
    """
    tokens: int | None = None
    rest = question
    for found in (*_SCALED.finditer(question), *_PLAIN.finditer(question)):
        count = _scaled(found) if found.re is _SCALED else int(re.sub(r"[.,]", "", found[1]))
        if count >= _LEAST_MILLIONS * 10**6 or _TRAINS.search(question[: found.start()]):
            tokens = tokens or count
            rest = _blank(rest, found)
    if not (price := _PRICE.search(question)):
        return Budget(tokens), rest
    amount, currency = (price[2], price[1]) if price[2] else (price[4], price[5])
    each = bool(price[3] or price[6] or _BEHIND.match(question, price.end()))
    return Budget(tokens, _decimal(amount), currency, each), _blank(rest, price)


def budget_told(facts: Facts, condition: int) -> Iterator[Sentence]:
    """Yield hours, GPU hours and cost of each option under a condition, where the question states what it takes."""
    budget = facts.outline.budget
    cells = [cell for cell in usable(facts, condition) if cell.speed]
    cells = cells or [cell for cell in facts.of(condition) if cell.speed]
    if not cells or (budget.tokens is None and budget.price is None):
        return
    tokens = budget.tokens or BILLION
    told = []
    for cell in cells:
        hours, gpu_hours, cost = _costs(budget, cell, tokens)
        one = text(
            "budget_one", facts.language, name=facts.name(cell), hours=facts.number(hours), gpu=facts.number(gpu_hours)
        )
        if cost is not None:
            one += text("budget_cost", facts.language, cost=facts.number(cost, 0), currency=budget.currency)
        told.append(one)
    values = {"tokens": facts.number(tokens, 0), "at": facts.at(condition), "options": joined(told, facts.language)}
    yield facts.say("budget", cells, **values, error=facts.number(max(cell.error_pct for cell in cells), 0))


def budget_figures(facts: Facts, cell: Cell) -> Iterator[Figure]:
    """Yield hours, GPU hours and cost of a cell, with the error of its speed."""
    budget = facts.outline.budget
    if budget.tokens is None or not cell.speed:
        return
    hours, gpu_hours, cost = _costs(budget, cell, budget.tokens)
    yield Figure(name="hours", value=round(hours, 2), unit="h", error_pct=cell.error_pct)
    yield Figure(name="gpu_hours", value=round(gpu_hours, 2), unit="GPU h", error_pct=cell.error_pct)
    if cost is not None:
        yield Figure(name="cost", value=round(cost, 2), unit=budget.currency, error_pct=cell.error_pct)


def _costs(budget: Budget, cell: Cell, tokens: int) -> tuple[float, float, float | None]:
    """Return hours, GPU hours, and the cost where a price is stated."""
    assert cell.total_speed
    hours = tokens / cell.total_speed / SECONDS_PER_HOUR
    return hours, hours * cell.ranks, None if budget.price is None else hours * cell.ranks * budget.price


def _scaled(found: re.Match[str]) -> int:
    unit = found[2]
    scale = next(size for name, size in _SCALES.items() if unit.startswith(name))
    return round(_decimal(found[1]) * scale)


def _decimal(amount: str) -> float:
    return float(amount.replace(",", "."))


def _blank(question: str, found: re.Match[str]) -> str:
    return question[: found.start()] + " " * (found.end() - found.start()) + question[found.end() :]
