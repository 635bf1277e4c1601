"""Likeness to known reports: what is learned, what is kept, and what a text is like."""

import json
import math

import pytest

from engines.diagnosis.holdout import CASES, read_rows
from engines.diagnosis.learn import learned
from engines.diagnosis.likeness import FILE, Likeness, words

REPORTS = (("leak", "memory grows"), ("leak", "memory leaks"), ("hang", "nothing moves"))


def test_what_is_kept_is_what_the_cases_teach() -> None:
    fresh, kept = learned(read_rows(CASES)).kept(), json.loads(FILE.read_text(encoding="utf-8"))
    assert kept["reports"] == fresh["reports"], "run `python -m engines.diagnosis.learn` after a change of the cases"
    assert kept["causes"] == fresh["causes"]
    assert kept["words"].keys() == fresh["words"].keys()
    for word, entry in fresh["words"].items():
        assert dict(kept["words"][word]["told"]) == pytest.approx(dict(entry["told"]), abs=1)


def test_the_likeness_is_the_cosine_of_the_weights_of_the_words() -> None:
    rare, common = math.log(3 / 1), math.log(3 / 2)  # of three reports one, or two, hold the word
    one = math.hypot(rare, common)
    mean = math.sqrt((2 * common / one) ** 2 + 2 * (rare / one) ** 2)
    whole = Likeness.learned(REPORTS).of("grows leaks moves nothing")  # as many words of weight `rare` in both causes
    assert whole["hang"] / whole["leak"] == pytest.approx((2 * rare / math.hypot(rare, rare)) / (2 * rare / one / mean))


def test_a_text_of_few_words_is_little_like_anything() -> None:
    learnt = Likeness.learned((("leak", "memory grows a lot"), ("hang", "nothing moves any longer")))
    few, more = learnt.of("grows")["leak"], learnt.of("memory grows a lot")["leak"]
    assert 0 < few < more / 4


def test_a_report_is_not_like_itself_where_it_is_taken_out() -> None:
    learnt = Likeness.learned(REPORTS)
    assert learnt.of("nothing moves")["hang"] > 0.0
    assert learnt.of("nothing moves", without="hang")["hang"] == pytest.approx(0.0)


def test_the_words_of_a_message_in_which_many_causes_end_do_not_count() -> None:
    message = "Tried to allocate 2.00 GiB. GPU 0 has 1 GiB free and 3 MiB is reserved by PyTorch but unallocated."
    assert words(f"grows {message}") == words("grows")
    timeout = (
        "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8, OpType=ALLREDUCE) ran for 600 milliseconds"
    )
    assert words(f"{timeout}\ngrows") == words("grows")


def test_what_is_kept_reads_back() -> None:
    learnt = Likeness.learned(REPORTS)
    again = Likeness.read(json.loads(json.dumps(learnt.kept())))
    assert again.of("memory moves") == pytest.approx(learnt.of("memory moves"), abs=1e-3)


def test_endings_and_signs_do_not_matter() -> None:
    assert words("Accumulates accumulated; no_sync, sync") == {"accumu": 2, "no": 1, "sync": 2}


def test_a_text_without_a_known_word_is_like_nothing() -> None:
    assert set(Likeness.learned(REPORTS).of("xyzzy 12345").values()) == {0.0}
