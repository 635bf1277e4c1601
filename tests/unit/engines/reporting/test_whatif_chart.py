"""The picture of a what-if table."""

import struct

import pytest

from contracts.whatif import Chart, Column, WhatIf
from engines.reporting.whatif_chart import draw_what_if


def found(kind, rows):
    return WhatIf(
        question="batch-size",
        asks="What is the best batch size?",
        model="a model with $ in its name",
        columns=(Column(name="micro_batch"), Column(name="reserved", unit="GiB")),
        rows=rows,
        answer="2.",
        chart=Chart(kind=kind, x="micro_batch", y="reserved", limit=70.0),
    )


@pytest.mark.parametrize("kind", ["bar", "line"])
def test_it_is_a_png_of_a_readable_size(kind):
    picture = draw_what_if(found(kind, ({"micro_batch": 1, "reserved": 30.0}, {"micro_batch": 2, "reserved": 80.0})))
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    assert width >= 800
    assert height >= 400


def test_rows_without_a_number_are_left_out():
    rows = ({"micro_batch": 1, "reserved": None}, {"micro_batch": 2, "reserved": 80.0})
    assert draw_what_if(found("bar", rows)) != draw_what_if(found("bar", rows[:1]))
