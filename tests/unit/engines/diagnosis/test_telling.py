"""A diagnosis in words and as a picture."""

import io
from pathlib import Path

from matplotlib.image import imread

from contracts.diagnosis import Cause, Diagnosis, Evidence, RankState
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.picture import timeline_png
from engines.diagnosis.reading import read_paths
from engines.diagnosis.telling import markdown, text_lines

HANGS = Path(__file__).with_name("hangs")


def state(rank: str, worked: float, trouble: float | None) -> RankState:
    return RankState(rank=rank, last_progress="step 1", last_progress_at=worked, first_abnormal_at=trouble)


FOUND = Diagnosis(
    verdict="diagnosed",
    first_diverged="2",
    rank_states=(state("0", 100.0, 700.0), state("1", 100.0, 701.0), state("2", 98.0, 99.0)),
)


def test_the_picture_has_a_bar_for_each_rank_and_shows_the_one_apart() -> None:
    png = timeline_png(FOUND)
    assert png is not None
    pixels = (imread(io.BytesIO(png))[:, :, :3] * 255).round().astype(int)
    # #d62728 marks the rank that left first, #4c78a8 the others
    assert (abs(pixels - [0xD6, 0x27, 0x28]).sum(axis=2) < 6).sum() > 20
    assert (abs(pixels - [0x4C, 0x78, 0xA8]).sum(axis=2) < 6).sum() > 20


def test_without_times_there_is_no_picture() -> None:
    assert timeline_png(Diagnosis(verdict="unknown", rank_states=(RankState(rank="0"),))) is None
    assert timeline_png(Diagnosis(verdict="unknown")) is None


def test_text_and_markdown_tell_the_same() -> None:
    found = diagnose_text(read_paths([str(HANGS / "guard")]))
    plain, marked = "\n".join(text_lines(found)), markdown(found, "ranks.png")
    for part in ("rank-conditional-collective", "barrier", "evaluate"):
        assert part in plain
        assert part.replace("_", "\\_") in marked
    assert "![Timeline of the ranks](<ranks.png>)" in marked
    assert "rank 1: waits in barrier #7" in plain


def test_a_line_of_a_log_cannot_become_markup() -> None:
    evil = "<script>alert(1)</script> [x](javascript:1) `code` # heading"
    cause = Cause(
        cause="x", confidence=0.5, summary=evil, fix=evil, evidence=(Evidence(file="a`b", line=1, text=evil),)
    )
    text = markdown(Diagnosis(verdict="diagnosed", causes=(cause,), first_failure=evil))
    assert "\n# heading" not in text
    for line in text.splitlines():
        outside = "".join(line.split("`")[::2]) if "``" not in line else line.partition("``")[0]
        assert "<script>" not in outside
        assert "](javascript" not in outside.replace("\\]", "")


def test_cost_and_confirmation_are_told() -> None:
    cause = Cause(cause="x", confidence=0.5, summary="s", fix="f", cost="an hour", confirm="look")
    found = Diagnosis(verdict="diagnosed", causes=(cause,))
    assert "    costs: an hour" in list(text_lines(found))
    assert "- To confirm: look" in markdown(found)
