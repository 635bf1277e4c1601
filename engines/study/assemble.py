"""Putting a study together: its parts, its table, and what it concludes."""

from collections.abc import Iterator, Sequence

from contracts.answer import Citation
from contracts.study import Figure, Part, Study
from contracts.whatif import Cell as Value
from contracts.whatif import Chart, Column
from engines.study.budget import budget_figures
from engines.study.cells import Cell
from engines.study.conclude import Conclusion
from engines.study.facts import Facts
from engines.study.labels import label
from engines.study.texts import text


def assemble(
    facts: Facts,
    subject: str,
    conclusion: Conclusion,
    claims: Sequence[Part],
    citations: Sequence[Citation],
    others: Sequence[Part] = (),
    assumed: Sequence[str] = (),
) -> Study:
    """Return the study.

    Args:
        facts: What was found out.
        subject: Model and machines in one line.
        conclusion: What follows.
        claims: What the cards say.
        citations: The cards.
        others: Dry runs and trials.
        assumed: What was assumed, in words.
    """
    estimates = list(_estimates(facts))
    columns = tuple(_columns(facts))
    return Study(
        question=facts.outline.question,
        language=facts.language,
        subject=subject,
        method=tuple(_method(facts, len(claims), len(estimates), others)),
        parts=(*claims, *estimates, *others),
        columns=columns,
        rows=tuple(_row(facts, cell, columns) for cell in (*facts.cells, *_remedies(facts))),
        charts=tuple(_charts(facts)),
        conclusion=conclusion.sentences,
        choice=conclusion.choice,
        uncertain=(*conclusion.uncertain, *assumed),
        decide_by=conclusion.decide_by,
        citations=tuple(citations),
    )


def _remedies(facts: Facts) -> list[Cell]:
    return [remedy.cell for _, remedy in sorted(facts.remedies.items()) if remedy]


def _method(facts: Facts, claims: int, estimates: int, others: Sequence[Part]) -> Iterator[str]:
    options = [label(option, facts.known, facts.language) for option in facts.outline.options]
    conditions = [facts.condition(place) for place in range(len(facts.outline.conditions))]
    language = facts.language
    yield text("method_options", language, options="; ".join(options))
    if len(conditions) > 1:
        yield text("method_conditions", language, conditions="; ".join(conditions))
    yield text("method_counts", language, claims=claims, estimates=estimates)
    for kind in ("dryrun", "trial"):
        made = [part for part in others if part.kind == kind]
        for status in ("answered", "waiting", "skipped", "failed"):
            count = sum(part.status == status for part in made)
            if count:
                yield text(f"method_{kind}_{status}", language, count=count)


def _estimates(facts: Facts) -> Iterator[Part]:
    remedies = {id(remedy.cell): remedy.name for remedy in facts.remedies.values() if remedy}
    for place, cell in enumerate((*facts.cells, *_remedies(facts)), start=1):
        name = remedies.get(id(cell)) or facts.name(cell)
        at = facts.at(cell.condition)
        asks = text("asks_estimate", facts.language, name=name, at=at)
        part = Part(
            id=f"e{place}",
            kind="estimate",
            asks=asks,
            option=name,
            condition=facts.condition(cell.condition),
            settings=cell.settings,
            status="answered" if cell.known else "failed",
            result=_result(facts, cell) if cell.known else cell.problem,
            figures=(*_figures(cell), *budget_figures(facts, cell)) if cell.known else (),
            fits=cell.fits,
            source=text("from_both_models" if cell.tokens_per_s else "from_memory_model", facts.language),
        )
        yield part


def _result(facts: Facts, cell: Cell) -> str:
    peak, error = facts.gib(cell.reserved_gib), facts.number(cell.memory_error_pct, 0)
    told = [f"{peak} GiB ± {error} %"]
    if cell.tokens_per_s:
        told.append(f"{facts.speed(cell.tokens_per_s)} tokens/s ± {facts.number(cell.speed_error_pct, 0)} %")
    return ", ".join(told)


def _figures(cell: Cell) -> Iterator[Figure]:
    yield Figure(name="reserved", value=round(cell.reserved_gib, 4), unit="GiB", error_pct=cell.memory_error_pct)
    if cell.states_gib:
        yield Figure(name="sharded_states", value=round(cell.states_gib, 4), unit="GiB")
    yield Figure(name="activations", value=round(cell.activations_gib, 4), unit="GiB", error_pct=cell.memory_error_pct)
    if cell.host_gib_per_node:
        yield Figure(
            name="host_of_a_machine",
            value=round(cell.host_gib_per_node, 2),
            unit="GiB",
            error_pct=cell.memory_error_pct,
        )
    if cell.tokens_per_s:
        error = cell.speed_error_pct
        yield Figure(name="tokens_per_s_per_gpu", value=round(cell.tokens_per_s, 1), unit="tokens/s", error_pct=error)
        yield Figure(name="step", value=round(cell.step_s, 4), unit="s", error_pct=error)
        yield Figure(name="waits", value=round(cell.exposed_s, 4), unit="s", error_pct=error)
    if cell.crossing_gb:
        yield Figure(name="between_machines", value=round(cell.crossing_gb, 1), unit="GB")


def _columns(facts: Facts) -> Iterator[Column]:
    cells = [cell for cell in (*facts.cells, *_remedies(facts)) if cell.known]
    yield Column(name="option")
    if len(facts.outline.conditions) > 1:
        yield Column(name="condition")
    if len({cell.ranks for cell in cells}) > 1:
        yield Column(name="ranks")
    if any(cell.states_gib for cell in cells):
        yield Column(name="sharded_states", unit="GiB")
    yield Column(name="reserved", unit="GiB")
    yield Column(name="reserved_error", unit="± %")
    if any(cell.dry_gib is not None for cell in cells):
        yield Column(name="dry_run", unit="GiB")
    if any(cell.measured_peak_gib is not None for cell in cells):
        yield Column(name="measured_peak", unit="GiB")
    if any(cell.capacity_gib is not None for cell in cells):
        yield Column(name="fits")
    if any(cell.host_gib_per_node for cell in cells):
        yield Column(name="host_of_a_machine", unit="GiB")
    if any(cell.tokens_per_s for cell in cells):
        yield Column(name="tokens_per_s_per_gpu", unit="tokens/s")
        yield Column(name="speed_error", unit="± %")
        yield Column(name="step", unit="s")
        yield Column(name="waits", unit="s")
    if any(cell.measured_tokens_per_s is not None for cell in cells):
        yield Column(name="measured", unit="tokens/s")
        yield Column(name="measured_error", unit="± %")
    if any(cell.crossing_gb for cell in cells):
        yield Column(name="between_machines", unit="GB")


def _row(facts: Facts, cell: Cell, columns: Sequence[Column]) -> dict[str, Value]:
    remedies = {id(remedy.cell): remedy.name for remedy in facts.remedies.values() if remedy}
    values: dict[str, Value] = {
        "option": remedies.get(id(cell)) or facts.name(cell),
        "condition": facts.condition(cell.condition),
    }
    if not cell.known:
        return {column.name: values.get(column.name) for column in columns}
    fits = cell.fits if cell.capacity_gib is not None else None
    values |= {
        "ranks": cell.ranks,
        "sharded_states": _rounded(cell.states_gib or None, 2),
        "reserved": _rounded(cell.reserved_gib, 4 if cell.reserved_gib < 1 else 1),
        "reserved_error": cell.memory_error_pct,
        "dry_run": _rounded(cell.dry_gib, 1),
        "measured_peak": _rounded(cell.measured_peak_gib, 3),
        "fits": text("too_close", facts.language) if cell.close else fits,
        "host_of_a_machine": _rounded(cell.host_gib_per_node or None, 1),
        "tokens_per_s_per_gpu": _rounded(cell.tokens_per_s, 0),
        "speed_error": cell.speed_error_pct if cell.tokens_per_s else None,
        "step": _rounded(cell.step_s or None, 3),
        "waits": _rounded(cell.exposed_s if cell.step_s else None, 3),
        "measured": _rounded(cell.measured_tokens_per_s, 1),
        "measured_error": _rounded(cell.measured_spread_pct, 1) if cell.measured_tokens_per_s is not None else None,
        "between_machines": _rounded(cell.crossing_gb, 0),
    }
    return {column.name: values[column.name] for column in columns}


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _charts(facts: Facts) -> Iterator[Chart]:
    cells = [cell for cell in facts.cells if cell.known]
    if not cells:
        return
    rooms = {None if cell.capacity_gib is None else cell.capacity_gib - cell.overhead_gib for cell in cells}
    limit = rooms.pop() if len(rooms) == 1 else None  # GPUs of several sizes have no common one
    yield Chart(kind="bar", x="option", y="reserved", limit=limit)
    if any(cell.measured_tokens_per_s is not None for cell in cells):
        yield Chart(kind="bar", x="option", y="measured")
    elif any(cell.tokens_per_s for cell in cells):
        yield Chart(kind="bar", x="option", y="tokens_per_s_per_gpu")
