"""Where the threads are: SQLite unless a database is named, by the environment or by the owner."""

import builtins
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from contracts.errors import InputError, RequestInvalid
from graph.checkpoint import open_saver
from graph.postgres import VARIABLE, database_url, unreadable
from runners import Home


@pytest.fixture
def owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "owner.toml"
    path.write_text("")
    path.chmod(0o600)
    monkeypatch.setenv("FSDP_AGENT_CONFIG", str(path))
    monkeypatch.delenv(VARIABLE, raising=False)
    return path


def test_without_a_word_it_is_sqlite(owner: Path, tmp_path: Path) -> None:
    assert database_url() is None
    with open_saver(Home(tmp_path / "home")) as made:
        assert isinstance(made, SqliteSaver)


def test_the_environment_wins_over_the_owner(owner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner.write_text('[threads]\npostgres = "postgresql://db.example.com/team"\n')
    assert database_url() == "postgresql://db.example.com/team"
    monkeypatch.setenv(VARIABLE, "postgres://other.example.com/team")
    assert database_url() == "postgres://other.example.com/team"


@pytest.mark.parametrize("named", ["mysql://db/x", "/var/lib/threads.sqlite", "host=db dbname=x"])
def test_what_is_no_url_is_refused_without_being_shown(
    named: str, owner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, named)
    with pytest.raises(InputError, match=rf"^{VARIABLE} names no PostgreSQL database$") as caught:
        database_url()
    assert named not in caught.value.hint


@pytest.mark.parametrize("text", ["[threads]\npostgres = 5\n", '[threads]\nposgres = "x"\n', "threads = 1\n"])
def test_a_mistake_in_the_owners_file_is_named(text: str, owner: Path) -> None:
    owner.write_text(text)
    with pytest.raises(RequestInvalid, match="threads"):
        database_url()


def test_a_missing_driver_is_said_with_how_to_get_it(
    owner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "postgresql://db.example.com/team")
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("langgraph.checkpoint.postgres"):
            raise ModuleNotFoundError(f"No module named {name!r}", name="psycopg")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match="psycopg is not installed") as caught, open_saver(Home(tmp_path)):
        pass
    assert "fsdp-agent[postgres]" in caught.value.hint


def test_a_password_is_not_repeated() -> None:
    pytest.importorskip("psycopg", reason="needs the extra postgres")
    url = "postgresql://ada:s3cret@db.example.com:5433/team"
    error = unreadable(url, ValueError('connection failed: password "s3cret" for user ada\nsecond line'))
    assert (
        str(error) == 'threads in PostgreSQL db.example.com:5433/team: connection failed: password "***" for user ada'
    )
    assert "s3cret" not in str(unreadable("postgresql://ada:s3cret@[", ValueError("bad URL postgresql://ada:s3cret@[")))
