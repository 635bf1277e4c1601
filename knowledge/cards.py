"""Reads the cards, once and lazily, and refuses a broken one with its file and line."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml
from pydantic import ValidationError

from contracts.errors import RequestInvalid
from knowledge.card import Card
from knowledge.safe_yaml import parse_yaml

FOLDER = Path(__file__).parent
"""Where cards/ and probes/ lie."""

SECTIONS = {"What": "what", "Why": "why", "What to do": "what_to_do", "Code": "code"}
"""Headings of a card's text, in their order, and the fields that they fill."""

_LAST_RELEASE = 40
"""Newest minor release of torch 2 that is considered when two specifiers are compared."""


class Cards(Mapping[str, Card]):
    """All cards by slug, in alphabetical order."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Read and check every card below `folder`/cards.

        Raises:
            RequestInvalid: A card breaks a rule; the message starts with file:line.
        """
        self._cards: dict[str, Card] = {}
        self._paths: dict[str, Path] = {}
        for path in sorted((folder / "cards").rglob("*.md")):
            card = read_card(path)
            if card.slug in self._paths:
                raise _broken(path, 1, f"duplicate id {card.slug!r}: {self._paths[card.slug]} has it")
            self._cards[card.slug] = card
            self._paths[card.slug] = path
        self._probes = folder / "probes"

    def __getitem__(self, slug: str) -> Card:
        return self._cards[slug]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self._cards)

    def path(self, slug: str) -> Path:
        """Return the file of a card."""
        return self._paths[slug]

    def check(self) -> None:
        """Check what cards say about each other and about probes; the tests do, the product has.

        Raises:
            RequestInvalid: A name leads nowhere, a title is given twice, or two cards answer
                one question for the same version; the message starts with file:line.
        """
        names = {path.stem for path in self._probes.glob("[!_]*.py")}
        titles: dict[str, str] = {}
        for slug, card in self._cards.items():
            if card.probe is not None and card.probe not in names:
                raise self._broken(slug, "probe", f"unknown probe {card.probe!r}: no {self._probes / card.probe}.py")
            first = titles.setdefault(card.title.casefold(), slug)
            if first != slug:
                raise self._broken(slug, "title", f"duplicate title: {first} has it too")
            for key in ("related", "in_other_versions"):
                for other in getattr(card, key):
                    if other not in self._cards or other == slug:
                        raise self._broken(slug, key, f"unknown card {other!r}")
            for other in card.in_other_versions:
                self._check_versions(slug, other)

    def _check_versions(self, slug: str, other: str) -> None:
        one, two = self._cards[slug], self._cards[other]
        if slug not in two.in_other_versions:
            raise self._broken(slug, "in_other_versions", f"{other} does not name {slug} in turn")
        shared = [
            f"2.{minor}" for minor in range(_LAST_RELEASE) if one.holds_in(f"2.{minor}") and two.holds_in(f"2.{minor}")
        ]
        if shared:
            raise self._broken(slug, "torch", f"both this card and {other} hold in torch {shared[0]}")

    def _broken(self, slug: str, key: str, what: str) -> RequestInvalid:
        path = self._paths[slug]
        return _broken(path, _line_of(path.read_text(encoding="utf-8"), (key,)), what)


@cache
def cards() -> Cards:
    """Return the product's cards, read at the first call."""
    return Cards()


def read_card(path: Path) -> Card:
    """Read one card file.

    Raises:
        RequestInvalid: It breaks a rule; the message starts with file:line.
    """
    text = path.read_text(encoding="utf-8")
    match = re.match(r"---\n(.*?\n)---\n", text, re.DOTALL)
    if match is None:
        raise _broken(path, 1, "no front matter between two lines of ---")
    try:
        front = parse_yaml(match[1])
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise _broken(path, line, f"front matter is no YAML: {error.problem}") from None
    if not isinstance(front, dict):
        raise _broken(path, 1, "front matter is no mapping")
    keys = re.findall(r"^([a-z_]+):", match[1], re.MULTILINE)
    for key in keys:
        if keys.count(key) > 1:
            raise _broken(path, _line_of(text, (key,)), f"duplicate key {key!r}")
    for key in ("slug", *SECTIONS.values()):
        if key in front:
            raise _broken(path, _line_of(text, (key,)), f"{key!r} does not belong in the front matter")
    body = _sections(path, text[match.end() :], text.count("\n", 0, match.end()))
    try:
        return Card.model_validate({"slug": path.stem, **front, **body})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise _broken(path, _line_of(text, first["loc"]), f"{where}: {message}" if where else message) from None


def _sections(path: Path, body: str, lines_before: int) -> dict[str, str]:
    found: dict[str, str] = {}
    heading = None
    fenced = False
    for number, line in enumerate(body.split("\n"), lines_before + 1):
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            heading = line[3:].strip()
            if heading not in SECTIONS or SECTIONS[heading] in found:
                raise _broken(path, number, f"heading {heading!r}: each of {', '.join(SECTIONS)} once, nothing else")
            if found and list(SECTIONS).index(heading) < len(found):
                raise _broken(path, number, f"heading {heading!r} is out of order ({', '.join(SECTIONS)})")
            found[SECTIONS[heading]] = ""
        elif heading is not None:
            found[SECTIONS[heading]] += line + "\n"
        elif line.strip():
            raise _broken(path, number, "text before the first heading")
    return {field: text.strip() for field, text in found.items()}


def _broken(path: Path, line: int, what: str) -> RequestInvalid:
    return RequestInvalid(f"{path}:{line}: {what}", code="card_invalid")


def _line_of(text: str, location: tuple[int | str, ...]) -> int:
    """Return the 1-based line of a front matter value or a section; the first where unknown."""
    if not location:
        return 1
    name = str(location[0])
    headings = {field: heading for heading, field in SECTIONS.items()}
    start = re.search(rf"^## {headings[name]}\s*$" if name in headings else rf"^{name}:", text, re.MULTILINE)
    if start is None:
        return 1
    if len(location) < 2 or not isinstance(location[1], int):
        return text.count("\n", 0, start.start()) + 1
    end = re.compile(r"^(\w|---)", re.MULTILINE).search(text, start.end())
    items = list(re.compile(r"^ *- ", re.MULTILINE).finditer(text, start.end(), end.start() if end else len(text)))
    place = items[location[1]] if location[1] < len(items) else start
    return text.count("\n", 0, place.start()) + 1
