"""A study in a report: how it was found out, the table, the conclusion, what remains uncertain."""

from collections.abc import Sequence

from contracts.request import Language
from contracts.study import Study
from contracts.whatif import Cell, Column
from engines.reporting.markdown import code, plain, table
from engines.reporting.phrases import phrase
from engines.reporting.story import Story

_COLUMNS: dict[str, tuple[str, str]] = {
    "option": ("option", "mulighed"),
    "condition": ("condition", "betingelse"),
    "ranks": ("ranks", "ranks"),
    "sharded_states": ("sharded states", "shardede states"),
    "reserved": ("peak", "spidsforbrug"),
    "dry_run": ("peak, dry run", "spidsforbrug, dry run"),
    "measured_peak": ("peak, measured", "spidsforbrug, målt"),
    "fits": ("fits", "kan være der"),
    "host_of_a_machine": ("host memory of a machine", "værtshukommelse pr. maskine"),
    "tokens_per_s_per_gpu": ("speed per GPU", "fart pr. GPU"),
    "step": ("step", "trin"),
    "waits": ("waiting in a step", "venten i et trin"),
    "measured": ("speed per rank, measured", "fart pr. rank, målt"),
    "between_machines": ("out of a machine per step", "ud af en maskine pr. trin"),
}
"""What each column of a study's table is called."""

_ERRORS = {"reserved": "reserved_error", "tokens_per_s_per_gpu": "speed_error", "measured": "measured_error"}
"""Columns whose error has a column of its own."""

_STATUS = {"waiting": "part_waiting", "skipped": "part_skipped", "failed": "part_failed"}


def heading(column: Column, language: Language) -> str:
    """Return a column's heading with its unit."""
    english, danish = _COLUMNS.get(column.name, (column.name.replace("_", " "),) * 2)
    name = danish if language == "da" else english
    return f"{name} ({column.unit})" if column.unit else name


def cell_text(value: Cell, language: Language) -> str:
    """Return a value of the table as the language writes it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return phrase("yes" if value else "no", language)
    if isinstance(value, float):
        shown = f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:,.4g}"
        return shown.translate(str.maketrans(",.", ".,")) if language == "da" else shown
    return str(value)


def conclusion_lines(study: Study) -> list[str]:
    """Return the conclusion as sentences, each with the parts that it rests on."""
    return [f"{one.text} [{', '.join(one.parts)}]" if one.parts else one.text for one in study.conclusion]


def sections(story: Story, picture: str | None) -> list[tuple[str, list[str]]]:
    """Return the sections of a study by the phrase of their heading; those with nothing to say are empty.

    Args:
        story: What is known.
        picture: Path of the picture relative to the report; None where there is none.
    """
    study = story.study
    if study is None:
        return []
    language = study.language
    short = plain(study.conclusion[0].text) if study.conclusion else ""
    method = [f"- {plain(line)}" for line in study.method]
    return [
        ("in_short", [f"**{plain(study.subject)}**", "", short]),
        ("method", method),
        ("estimates", _table(study, picture)),
        ("conclusion", [f"- {plain(line)}" for line in conclusion_lines(study)]),
        ("uncertain", [f"- {plain(line)}" for line in study.uncertain]),
        ("decide_by", [f"- {plain(line)}" for line in study.decide_by]),
        ("found_out", [_part(study, place, language) for place in range(len(study.parts))]),
        ("citations", [f"- {code(c.card)}: {plain(c.claim)} <{c.source}> ({c.evidence})" for c in study.citations]),
    ]


def shown_table(study: Study, leave_out: Sequence[str] = ()) -> tuple[list[str], list[list[str]]]:
    """Return headings and cells of the table, the error of a number beside it.

    Args:
        study: The study.
        leave_out: Columns that there is no room for.
    """
    columns = [one for one in study.columns if one.name not in (*leave_out, *_ERRORS.values())]
    rows = []
    for row in study.rows:
        cells = []
        for column in columns:
            error = row.get(_ERRORS.get(column.name, ""))
            beside = f" ± {cell_text(error, study.language)} %" if row.get(column.name) is not None and error else ""
            cells.append(cell_text(row.get(column.name), study.language) + beside)
        rows.append(cells)
    return [heading(column, study.language) for column in columns], rows


def _table(study: Study, picture: str | None) -> list[str]:
    if not study.columns:
        return []
    headings, rows = shown_table(study)
    lines = [table([plain(name) for name in headings], [[plain(cell) for cell in row] for row in rows])]
    return [*lines, "", f"![study]({picture})"] if picture else lines


def _part(study: Study, place: int, language: Language) -> str:
    part = study.parts[place]
    status = "" if part.status == "answered" else f" ({phrase(_STATUS[part.status], language)})"
    told = f": {plain(part.result)}" if part.result else ""
    source = f" [{plain(part.source)}]" if part.source else ""
    return f"- {code(part.id)} {plain(part.asks)}{status}{told}{source}"
