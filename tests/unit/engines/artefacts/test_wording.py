"""What is told of the files of a plan is said in both languages."""

import re
import string
from pathlib import Path

import pytest

from contracts.recipe import Recipe
from engines.artefacts import wording
from engines.artefacts.job import Job
from engines.artefacts.write import shortcomings
from tests.danish import english_words

FOLDER = Path(__file__).parents[4]


@pytest.mark.parametrize("key", sorted(wording._SENTENCES))
def test_both_languages_take_the_same_values(key: str) -> None:
    fields = [
        {name for _, name, *_ in string.Formatter().parse(text) if name} for text in wording._SENTENCES[key]
    ]  # fmt: skip
    assert fields[0] == fields[1]


def test_every_sentence_is_used() -> None:
    files = [*(FOLDER / "engines" / "artefacts").glob("*.py"), FOLDER / "interfaces" / "service.py"]
    text = "\n".join(path.read_text() for path in files if path.name != "wording.py")
    by_method = {"lora", "qlora"}
    assert [key for key in wording._SENTENCES if key not in by_method and not re.search(f'say\\("{key}"', text)] == []


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_what_the_files_do_not_say_is_told_in_danish(method: str) -> None:
    job = Job("m", Recipe(dp_replicate=2), 8, 1, "cuda", None, optimizer="muon", method=method)
    said = shortcomings(job, "da")
    assert said
    assert [line for line in said if english_words(line)] == []
    assert shortcomings(job) != said
