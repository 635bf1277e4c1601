"""Secrets do not come out through what is shown: by value, by form, at any depth."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runners.redacting import Redactor

ENVIRONMENT = {
    "WANDB_API_KEY": "0123abcd" * 5,
    "DB_PASSWORD": "p4ss",
    "SHORT_TOKEN": "abc",
    "DATA_DIR": "/data/corpus/of/long/names",
    "NCCL_DEBUG": "INFO",
    "SESSION": "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6",
    "OTHER_KEY": "not-passed-to-the-job",
}
NAMES = ("WANDB_API_KEY", "DB_PASSWORD", "SHORT_TOKEN", "DATA_DIR", "NCCL_DEBUG", "SESSION", "UNSET_TOKEN")


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(NAMES, ENVIRONMENT)


def test_values_of_passed_variables(redactor: Redactor) -> None:
    said = redactor.text(f"key={ENVIRONMENT['WANDB_API_KEY']}, p4ss! {ENVIRONMENT['SESSION']}")
    assert said == "key=[redacted: WANDB_API_KEY], [redacted: DB_PASSWORD]! [redacted: SESSION]"


@pytest.mark.parametrize("text", ["abc INFO", "/data/corpus/of/long/names/0.jsonl", "not-passed-to-the-job", ""])
def test_ordinary_words_stay(redactor: Redactor, text: str) -> None:
    assert redactor.text(text) == text


def test_a_value_inside_another_leaves_no_rest() -> None:
    redactor = Redactor(("A_KEY", "B_KEY"), {"A_KEY": "secret", "B_KEY": "secret-and-more"})
    assert redactor.text("secret-and-more secret") == "[redacted: B_KEY] [redacted: A_KEY]"


@pytest.mark.parametrize(
    "token",
    [
        "hf_" + "aB3" * 12,
        "sk-" + "x1Y2" * 6,
        "ghp_" + "a" * 36,
        "AKIA" + "ABCDEFGH12345678",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXBhcnQ",
    ],
)
def test_forms_of_tokens_need_no_variable(token: str) -> None:
    assert Redactor(()).text(f"token '{token}' was refused") == "token '[redacted]' was refused"
    assert token not in Redactor(()).text(f"Authorization: Bearer {token}")


def test_step_names_and_hashes_are_no_tokens() -> None:
    text = "sk-learn hf_transfer step-00000050 " + "0f" * 32
    assert Redactor(()).text(text) == text


def test_data_at_any_depth(redactor: Redactor) -> None:
    assert redactor.data({"a": ["p4ss", {"p4ss": 1.5, "n": None}], "b": True}) == {
        "a": ["[redacted: DB_PASSWORD]", {"[redacted: DB_PASSWORD]": 1.5, "n": None}],
        "b": True,
    }
    deep: list = []
    for _ in range(500):
        deep = [deep]
    redactor.data(deep)  # ends


PIECES = st.sampled_from(
    ["a b", "hf_" + "x" * 30, "AuthorizaTION: bearer zzz", "s3cr3tvalue", '"', "\\", "é", "sk-", "{", "[[", ""]
)
WORDS = st.lists(PIECES, max_size=3).map("".join)
JSON = st.recursive(
    st.none() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a machine that is busy is no fault
@given(JSON, st.booleans())
def test_a_line_that_passes_holds_nothing_that_would_be_redacted(value: object, ascii_only: bool) -> None:
    redactor = Redactor(("MY_TOKEN",), {"MY_TOKEN": "s3cr3tvalue"})
    if redactor.passes(json.dumps(value, ensure_ascii=ascii_only)):
        assert redactor.data(value) == value


def test_most_lines_of_a_job_pass() -> None:
    assert Redactor(()).passes('{"kind": "step", "step": 1, "loss": 2.5, "data": {}}')
    assert not Redactor(()).passes('{"kind": "step", "data": {"message": "\\u0061"}}')
