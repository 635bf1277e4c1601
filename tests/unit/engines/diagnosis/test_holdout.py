"""Hold-out: a case's own signs are left out, the table counts what is right."""

from pathlib import Path

from engines.diagnosis.holdout import held_out, read_rows, reliability

CASES = Path(__file__).parents[3] / "cases" / "failures"


def test_the_table_counts_answers_and_their_share_of_right_ones() -> None:
    table = reliability([(0.9, True), (0.85, False), (0.1, True)])
    assert table[-1] == (0.8, 1.0, 2, 0.5)
    assert table[0] == (0.0, 0.3, 1, 1.0)
    assert sum(answers for _, _, answers, _ in table) == 3


def test_a_sign_that_only_the_case_itself_shows_does_not_help_it() -> None:
    row = {
        "id": "one",
        "input": "ValueError: Cannot flatten integer dtype tensors",
        "root_cause_key": "quantized-integer-params",
        "also_acceptable": [],
        "answerable": "yes",
    }
    (alone,) = held_out([row])
    together = held_out([row, {**row, "id": "two"}])
    assert alone.confidence < 0.6
    assert all(held.first and held.confidence > alone.confidence for held in together)


def test_what_is_held_out_is_still_found_mostly_and_high_confidence_is_right() -> None:
    held = held_out(read_rows([CASES / "dev.jsonl"]))
    assert sum(one.first for one in held) >= 0.7 * len(held)
    assert sum(one.in_three for one in held) >= 0.88 * len(held)
    confident = [one.first for one in held if one.confidence >= 0.8]
    assert sum(confident) >= 0.9 * len(confident)
