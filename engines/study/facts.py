"""Facts: all that was found out, with the names under which it is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from contracts.request import Language
from contracts.study import Sentence
from engines.study.cells import Cell
from engines.study.labels import joined, label, number
from engines.study.outline import Known, Outline
from engines.study.texts import text


@dataclass(frozen=True)
class Remedy:
    """What fits under a condition under which nothing that is weighed does."""

    cell: Cell
    """Its numbers."""
    name: str
    """Its settings in words."""


@dataclass(frozen=True)
class Facts:
    """What a conclusion is drawn from."""

    outline: Outline
    """The question taken apart."""
    known: Known
    """The job."""
    language: Language
    """Language of the conclusion."""
    cells: tuple[Cell, ...]
    """Estimates, condition by condition, in the order of the options."""
    gpu: str = ""
    """The GPU's name; empty on CPU ranks and where it is not known."""
    remedies: Mapping[int, Remedy | None] = field(default_factory=dict)
    """By condition; None: nothing was found. Conditions in which something fits have none."""

    @property
    def by_size_alone(self) -> bool:
        """Whether nothing but the number of ranks is weighed."""
        return all([choice.axis for choice in option.choices] == ["gpus"] for option in self.outline.options)

    def of(self, condition: int) -> tuple[Cell, ...]:
        """Return the cells of a condition that were estimated."""
        return tuple(cell for cell in self.cells if cell.condition == condition and cell.known)

    def name(self, cell: Cell) -> str:
        """Return what its option is called."""
        return label(self.outline.options[cell.option], self.known, self.language)

    def names(self, cells: Sequence[Cell]) -> str:
        """Return the options' names as a list."""
        return joined([self.name(cell) for cell in cells], self.language)

    def condition(self, place: int) -> str:
        """Return what a condition is called; empty where there is but one."""
        return label(self.outline.conditions[place], self.known, self.language)

    def at(self, place: int) -> str:
        """Return "at 8,192 tokens"; nothing where there is but one condition."""
        named = self.condition(place)
        return text("at", self.language, condition=named) if named else ""

    def number(self, value: float, digits: int = 1) -> str:
        """Return a number as the language writes it."""
        return number(value, self.language, digits)

    def gib(self, value: float) -> str:
        """Return a size in GiB; a small one with the digits that it needs."""
        digits = 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 4
        return self.number(value, digits)

    def speed(self, value: float) -> str:
        """Return tokens per second; a small one with a digit more."""
        return self.number(value, 0 if value >= 100 else 1)

    def say(self, key: str, cells: Sequence[Cell], /, **values: object) -> Sentence:
        """Return a sentence that rests on the parts of some cells."""
        told = text(key, self.language, **values)
        parts = dict.fromkeys(part for cell in cells for part in (self.part(cell), *cell.more_parts))
        first = told.partition(" ")[0]
        named = "." in first.rstrip(".") or "_" in first  # an identifier keeps its spelling
        return Sentence(text=told if named else told[:1].upper() + told[1:], parts=tuple(parts))

    def list_of(self, key: str, cells: Sequence[Cell]) -> str:
        """Return a phrase with name and peak for each cell, joined."""
        return joined(
            [text(key, self.language, name=self.name(cell), peak=self.gib(cell.peak_gib)) for cell in cells],
            self.language,
        )

    def part(self, cell: Cell) -> str:
        """Return the id of the part that a cell became: trials and dry runs are parts of their own."""
        return f"e{self.cells.index(cell) + 1}" if cell in self.cells else f"e{self._extra(cell)}"

    def _extra(self, cell: Cell) -> int:
        places = [place for place, remedy in sorted(self.remedies.items()) if remedy and remedy.cell == cell]
        before = [place for place, remedy in self.remedies.items() if remedy and places and place < places[0]]
        return len(self.cells) + len(before) + 1


def apart(one: Cell, other: Cell) -> bool:
    """Tell whether the speeds of two cells differ by more than the larger of their errors."""
    if not one.speed or not other.speed:
        return False
    fast, slow = max(one.speed, other.speed), min(one.speed, other.speed)
    return 100 * (fast / slow - 1) > max(one.error_pct, other.error_pct)


def leaner(one: Cell, other: Cell) -> bool:
    """Tell whether one cell's peak lies below the other's by more than the error."""
    error = max(one.peak_error_pct, other.peak_error_pct)
    return other.peak_gib > one.peak_gib * (1 + error / 100)
