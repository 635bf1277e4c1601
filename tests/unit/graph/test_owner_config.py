"""The owner's configuration: what it permits, and when it is not believed."""

import hashlib
import os
import tomllib
from pathlib import Path

import pytest

from contracts.errors import FileUnreadable, NotAllowed, RequestInvalid
from graph.owner_config import config_path, load_owner_config, require_yes


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def _write(text: str, mode: int = 0o600) -> Path:
        path = tmp_path / "owner" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        monkeypatch.setenv("FSDP_AGENT_CONFIG", str(path))
        return path

    return _write


def test_no_file_permits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FSDP_AGENT_CONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_path() == tmp_path / ".config" / "fsdp-agent" / "config.toml"
    (tmp_path / "run.yaml").touch()
    with pytest.raises(NotAllowed) as caught:
        require_yes(load_owner_config(), tmp_path / "run.yaml")
    assert caught.value.exit_code == 5


def test_what_to_add_makes_it_pass(write, tmp_path: Path) -> None:
    request = tmp_path / 'odd "name" \\ here.yaml'
    request.touch()
    write("")
    with pytest.raises(NotAllowed) as caught:
        require_yes(load_owner_config(), request)
    write("\n".join(caught.value.hint.splitlines()[1:]))
    require_yes(load_owner_config(), request)


def test_paths_are_relative_to_the_file_and_links_are_followed(write, tmp_path: Path) -> None:
    (tmp_path / "real.yaml").touch()
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real.yaml")
    write(f'[[approval.allow_yes]]\nrequest = "../real.yaml"\nsha256 = "{hashlib.sha256(b"").hexdigest()}"\n')
    config = load_owner_config()
    require_yes(config, tmp_path / "link.yaml")
    (tmp_path / "other.yaml").touch()
    with pytest.raises(NotAllowed, match=r"does not list it"):
        require_yes(config, tmp_path / "other.yaml")


def test_another_content_is_another_request(write, tmp_path: Path) -> None:
    request = tmp_path / "real.yaml"
    request.write_text("recipe: {steps: 3}")
    write(f'[[approval.allow_yes]]\nrequest = "../real.yaml"\nsha256 = "{hashlib.sha256(b"").hexdigest()}"\n')
    with pytest.raises(NotAllowed, match=r"lists it with another content"):
        require_yes(load_owner_config(), request)


def test_the_demos_configuration_is_in_step_with_its_request() -> None:
    examples = Path(__file__).parents[3] / "examples"
    entry = tomllib.loads((examples / "demo.toml").read_text())["approval"]["allow_yes"][0]
    assert entry["sha256"] == hashlib.sha256((examples / entry["request"]).read_bytes()).hexdigest()


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_refused(write, mode: int) -> None:
    path = write("", mode)
    with pytest.raises(NotAllowed, match=r"can be written by others") as caught:
        load_owner_config()
    assert caught.value.hint == f"chmod 600 {path}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_file_of_another_user_is_refused(write) -> None:
    path = write("")
    os.chown(path, 12345, -1)
    with pytest.raises(NotAllowed, match=r"belongs to user 12345"):
        load_owner_config()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[aproval]", r"unknown key aproval; did you mean 'approval'\?"),
        ("[approval]\nalow_yes = []", r"unknown key approval\.alow_yes; did you mean 'allow_yes'\?"),
        ('[[approval.allow_yes]]\nreqest = "a"', r"unknown key .*reqest; did you mean 'request'\?"),
        ("zzz = 1", r"unknown key zzz; known: approval"),
        ("[[approval.allow_yes]]\nrequest = 3", r"request must be the path of a request file, not 3"),
        ('[[approval.allow_yes]]\nrequest = "a"', r"sha256 must be the SHA-256 of the request file, not None"),
        ("[[approval.allow_yes]]", r"request must be the path of a request file, not None"),
        ("approval = 1", r"approval must be a table, not 1"),
        ("[approval]\nallow_yes = true", r"allow_yes must be a list of tables, not True"),
        ("[approval", r"is no valid TOML"),
    ],
)
def test_a_mistake_is_named(write, text: str, said: str) -> None:
    write(text)
    with pytest.raises(RequestInvalid, match=said) as caught:
        load_owner_config()
    assert caught.value.exit_code == 2


def test_a_named_file_that_is_missing_or_no_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSDP_AGENT_CONFIG", str(tmp_path / "none.toml"))
    with pytest.raises(FileUnreadable, match=r"does not exist"):
        load_owner_config()
    monkeypatch.setenv("FSDP_AGENT_CONFIG", str(tmp_path))
    with pytest.raises(FileUnreadable):
        load_owner_config()


def test_a_file_that_is_no_text_is_an_error(write) -> None:
    write("").write_bytes(b"\xff\xfe")
    with pytest.raises(RequestInvalid, match=r"no UTF-8 text: byte 0"):
        load_owner_config()
