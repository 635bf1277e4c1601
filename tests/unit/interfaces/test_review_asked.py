"""What a review was asked for and cannot do is said: unknown rules, folders without files, links that lead away."""

from pathlib import Path

import pytest

from contracts.errors import RequestInvalid
from engines.review.engine import review_paths
from engines.review.registry import unknown_rule
from interfaces.service_review import Options, review


@pytest.mark.parametrize("rule", ["FSDP001", "FSDP", "HF2", "LN4", "RV001", "FSDP066"])
def test_a_rule_or_the_start_of_one_is_known(rule: str) -> None:
    assert unknown_rule(rule) is None


@pytest.mark.parametrize(
    ("rule", "near"),
    [
        ("fsdp001", "FSDP001 (optimizer-before-shard)"),
        ("optimizer-before-shard", "FSDP001 (optimizer-before-shard)"),
        ("FSPD001", "FSDP001 (optimizer-before-shard)"),
        ("LN499", "LN409 (torch-distributed-launch)"),
    ],
)
def test_a_slip_gets_what_is_near(rule: str, near: str) -> None:
    assert near in (unknown_rule(rule) or ())


@pytest.mark.parametrize("options", [Options(select=("XX9",)), Options(ignore=("XX9",))])
def test_an_unknown_rule_is_refused(tmp_path: Path, options: Options) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(RequestInvalid, match="XX9"):
        review([str(tmp_path)], options._replace(isolated=True))


def test_an_unknown_rule_in_the_settings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.fsdp-agent.review]\nselect = ["FSDP999"]\n')
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(RequestInvalid, match="FSDP999"):
        review([str(tmp_path)], Options())


def test_a_folder_without_files_of_ours_was_not_reviewed(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("text")
    result = review_paths([tmp_path])
    assert result.files == ()
    assert len(result.unreadable) == 1
    assert "nothing was reviewed" in result.unreadable[0]
    (tmp_path / "a.py").write_text("x = 1\n")
    assert review_paths([tmp_path]).unreadable == ()


def test_links_that_stay_inside_are_followed_and_others_are_told(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    (inside / "pkg").mkdir(parents=True)
    outside.mkdir()
    for path in (inside / "pkg" / "a.py", outside / "b.py"):
        path.write_text("x = 1\n")
    (inside / "to_inside.py").symlink_to("pkg/a.py")
    (inside / "to_outside.py").symlink_to(outside / "b.py")
    (inside / "folder").symlink_to(outside)
    (inside / "circle.py").symlink_to("circle.py")
    result = review_paths([inside])
    assert set(result.files) == {str(inside / "pkg" / "a.py"), str(inside / "to_inside.py")}
    (note,) = result.not_followed
    assert "2 links lead out of it" in note
    assert "to_outside.py" in note
    assert "folder" in note
    (circle,) = result.unreadable
    assert circle.startswith(str(inside / "circle.py"))
