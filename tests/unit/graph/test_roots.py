"""Paths from outside: below the roots after every link was followed, or refused."""

from pathlib import Path

import pytest

from contracts.errors import InputError, NotAllowed
from graph.roots import Roots
from interfaces.doors.reading import laid_out, names_restored


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "inside").mkdir()
    (tmp_path / "in" / "log").write_text("x")
    (tmp_path / "secret").write_text("x")
    (tmp_path / "in" / "leads-out").symlink_to(tmp_path / "secret")
    (tmp_path / "in" / "leads-in").symlink_to(tmp_path / "in" / "log")
    return tmp_path


def test_what_is_inside_is_resolved(tree: Path) -> None:
    roots = Roots((str(tree / "in"),))
    assert roots.resolve(str(tree / "in")) == str(tree / "in")
    assert roots.resolve(str(tree / "in" / "sub" / ".." / "log")) == str(tree / "in" / "log")
    assert roots.resolve(str(tree / "in" / "leads-in")) == str(tree / "in" / "log")


@pytest.mark.parametrize(
    "name", ["secret", "in/../secret", "in/leads-out", "inside", "nowhere", "in/sub/../../secret", "in/x\0y", ""]
)
def test_what_is_outside_is_refused_in_the_same_words(tree: Path, name: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        Roots((str(tree / "in"),)).resolve(f"{tree}/{name}" if name else "")
    assert refused.value.code == "path_outside_roots"


def test_without_roots_nothing_may_be_named(tree: Path) -> None:
    with pytest.raises(NotAllowed, match="not below"):
        Roots(()).resolve(str(tree / "in" / "log"))


def test_every_path_of_a_request_is_confined(tree: Path) -> None:
    roots = Roots((str(tree / "in"),), ("/opt/python",))
    inside, outside = str(tree / "in" / "log"), str(tree / "secret")
    request = {
        "model": {"path": inside, "name": "m"},
        "data": {"train": inside, "eval": inside},
        "script": {
            "path": inside,
            "args": ["--x", inside, "--lr", "1"],
            "inputs": [inside],
            "workdir": str(tree / "in"),
        },
        "paths": [inside],
        "interpreter": "/opt/python",
    }
    assert roots.confine(request) == request
    for changed in (
        {"model": {"path": outside}},
        {"data": {"train": inside, "eval": outside}},
        {"data": {"train": outside}},
        {"script": {"path": outside}},
        {"paths": [inside, outside]},
        {"interpreter": "/usr/bin/python3"},
        {"script": {"path": inside, "inputs": [outside]}},
        {"script": {"path": inside, "inputs": [str(tree / "nowhere")]}},
        {"script": {"module": "train", "workdir": str(tree / "inside")}},
        {"script": {"path": inside, "args": [outside]}},
        {"script": {"path": inside, "args": [f"--data={outside}"]}},
        {"script": {"path": inside, "args": ["../secret"]}},
        {"script": {"path": inside, "launcher_args": [f"--config_file={outside}"]}},
        {"model": {"name": outside}},
        {"model": {"name": "~root"}},
        {"model": {"path": str(tree / "in")}},  # a file of it is a link that leads out
    ):
        with pytest.raises(NotAllowed):
            roots.confine(request | changed)


def test_content_is_laid_out_and_taken_away() -> None:
    with laid_out({"src/train.py": "x = 1\n", "run.sh": "true\n"}) as folder:
        assert (folder / "src" / "train.py").read_text() == "x = 1\n"
        assert folder.stat().st_mode & 0o077 == 0
        shown = names_restored({"a": [f"{folder}/src/train.py:1"]}, folder)
    assert shown == {"a": ["src/train.py:1"]}
    assert not folder.exists()


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "a//b", ".", "..", "", "a\0b", "a/" * 20 + "x", "-rf"])
def test_a_name_that_leads_out_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="no name for a file"), laid_out({name: "x"}):
        pass


def test_a_folder_and_a_file_of_one_name_is_an_error() -> None:
    with pytest.raises(InputError, match="at once"), laid_out({"a": "x", "a/b": "y"}):
        pass
