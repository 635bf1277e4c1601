"""Tokens: who bears one, what it allows, and what the file does not reveal."""

import json
from pathlib import Path

import pytest

from contracts.errors import InputError, NotAllowed
from graph.callers import Caller, Tokens
from runners import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_the_two_first_secrets_are_tokens(home: Home) -> None:
    tokens = Tokens(home)
    assert tokens.caller_of(home.secret("submit").hex()) == Caller(name="submitter", right="submit")
    assert tokens.caller_of(f" {home.secret('approve').hex()}\n") == Caller(name="approver", right="approve")
    for stranger in ("", "0" * 64, home.secret("submit").hex()[:-1], "\ud800"):
        assert tokens.caller_of(stranger) is None


def test_a_token_is_made_used_rotated_and_removed(home: Home) -> None:
    tokens = Tokens(home)
    token = tokens.add("team-a", "submit")
    assert tokens.caller_of(token) == Caller(name="team-a", right="submit")
    fresh = tokens.rotate("team-a")
    assert (tokens.caller_of(token), tokens.caller_of(fresh)) == (None, Caller(name="team-a", right="submit"))
    tokens.remove("team-a")
    assert tokens.caller_of(fresh) is None
    with pytest.raises(InputError, match="no token"):
        tokens.remove("team-a")


def test_the_file_keeps_no_token(home: Home) -> None:
    token = Tokens(home).add("team-a", "approve")
    path = home.secrets / "tokens.json"
    assert token not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["", "Team", "a b", "../x", "approver", "submitter", "local", "x" * 33])
def test_other_names_are_refused(home: Home, name: str) -> None:
    with pytest.raises(InputError):
        Tokens(home).add(name, "submit")


def test_a_name_is_given_once(home: Home) -> None:
    Tokens(home).add("a", "submit")
    with pytest.raises(InputError, match="already"):
        Tokens(home).add("a", "approve")


def test_rotating_the_approver_ends_the_old_secret(home: Home) -> None:
    old = home.secret("approve").hex()
    new = Tokens(home).rotate("approver")
    assert Tokens(home).caller_of(old) is None
    assert Tokens(home).caller_of(new) == Caller(name="approver", right="approve")
    assert home.secret("approve").hex() == new


@pytest.mark.parametrize("content", ["{", "[1]", '[{"name": "A"}]', '{"a": 1}'])
def test_a_damaged_file_is_said_and_lets_nobody_in(home: Home, content: str) -> None:
    home.secrets.mkdir(mode=0o700, parents=True)
    path = home.secrets / "tokens.json"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(InputError, match="damaged"):
        Tokens(home).kept()


def test_a_file_that_others_can_read_is_not_trusted(home: Home) -> None:
    Tokens(home).add("a", "submit")
    path = home.secrets / "tokens.json"
    path.chmod(0o644)
    with pytest.raises(NotAllowed, match="read by others"):
        Tokens(home).caller_of("x")
    assert json.loads(path.read_text())[0]["name"] == "a"
