"""Names, numbers and what a sentence rests on."""

from engines.study.cells import Cell
from engines.study.decompose import decompose
from engines.study.facts import Facts, Remedy
from engines.study.labels import joined, number
from engines.study.outline import Known


def test_numbers_as_each_language_writes_them() -> None:
    assert (number(1234.56, "en"), number(1234.56, "da")) == ("1,235", "1.235")
    assert (number(0.856, "en", 2), number(0.856, "da", 2)) == ("0.86", "0,86")


def test_a_list_as_it_is_spoken() -> None:
    assert joined(["a", "b", "c"], "en") == "a, b and c"
    assert joined(["a", "b"], "da") == "a og b"
    assert joined(["a"], "en") == "a"


def test_a_remedy_is_a_part_behind_the_estimates() -> None:
    known = Known(ranks=32, nodes=4)
    outline = decompose("HSDP or full shard, and what does 128k change?", known)
    cells = tuple(Cell(option, condition) for condition in (0, 1) for option in (0, 1, 2))
    remedy = Cell(0, 1, reserved_gib=60.0)
    facts = Facts(outline, known, "en", cells, remedies={1: Remedy(remedy, "CP 8")})
    assert [facts.part(cell) for cell in cells] == ["e1", "e2", "e3", "e4", "e5", "e6"]
    assert facts.part(remedy) == "e7"


def test_an_identifier_keeps_its_spelling_at_the_beginning_of_a_sentence() -> None:
    known = Known(ranks=8, nodes=1)
    outline = decompose("torch.compile worth it?", known)
    cells = (Cell(0, 0, capacity_gib=80.0, reserved_gib=90.0), Cell(1, 0, capacity_gib=80.0, reserved_gib=10.0))
    facts = Facts(outline, known, "en", cells)
    for cell, begin in ((cells[0], "Eager fits"), (cells[1], "torch.compile fits")):
        told = facts.say("one_fits", [cell], name=facts.name(cell), at="", peak="10.0", room="78.5")
        assert told.text.startswith(begin)
