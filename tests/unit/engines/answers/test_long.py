"""Of a long question only the beginning is read, and the answer says so."""

import pytest

from engines.answers.ask import QUESTION_CHARACTERS_MAX, answer_question
from engines.reporting.document import render
from engines.reporting.story import Story
from engines.reporting.summary import summarize

ENGLISH = "Does FSDP2 need ShardedGradScaler for fp16? "
DANISH = "Skal jeg bruge ShardedGradScaler til fp16 med FSDP2, og hvordan? "


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (ENGLISH + "x" * 5000, "only the first 4,000 characters of the question were read; it has 5,044"),
        (DANISH + "Og hvad med resten? " * 300, "kun de første 4.000 tegn af spørgsmålet er læst; det har 6.064"),
        ("w" * 4001, "only the first 4,000 characters of the question were read; it has 4,001"),
    ],
)
def test_what_was_not_read_is_said(question: str, said: str) -> None:
    answer = answer_question(question)
    assert answer.notice == said
    story = Story(phase="done", thread_id="t", answer=answer)
    assert said in render(story)
    assert said in summarize(story)


def test_a_question_that_was_read_whole_has_no_notice() -> None:
    assert answer_question("  " + ENGLISH + "\n" * 5000).notice == ""
    assert answer_question(ENGLISH + "y" * (QUESTION_CHARACTERS_MAX - len(ENGLISH))).notice == ""


def test_what_is_read_is_the_beginning() -> None:
    assert answer_question(ENGLISH + "x" * 5000).citations
    assert not answer_question("x " * 2500 + ENGLISH).covered
