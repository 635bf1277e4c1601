"""A comment or a string that nothing reads changes no finding, whatever words it has."""

import re
from pathlib import Path

import pytest

import engines.review.rules
from engines.review.engine import review_paths
from engines.review.flow.written import code_of

FIXTURES = Path(__file__).parents[3] / "cases" / "review_rules"
RULES = Path(engines.review.rules.__file__).parent
MENTIONS = re.compile(r"(?:mentions|says)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
WORDS = sorted(
    {
        *(
            word
            for file in RULES.glob("*.py")
            for call in MENTIONS.findall(file.read_text())
            for word in re.findall(r'"([^"]+)"', call)
        ),
        *("GradScaler", "set_epoch", "destroy_process_group", "no_sync", "barrier", "summon_full_params", "seed("),
        *("clip_grad_norm_", "zero_grad", "to_empty", "set_requires_gradient_sync(True)", "fsdp_version", "unscale_"),
        *("NUM_NODES", "DistributedSampler", "accelerate", "lightning", "deepspeed", "torchrun", "spawn(", "Trainer("),
        *("LOCAL_RANK", "SLURM_PROCID", "_init_weights", "reset_parameters", "broadcast", "set_grad_enabled"),
    }
)
IDLE = f"""
# TODO: {" ".join(WORDS)}
NOTE_OF_THE_FILE = {" ".join(WORDS)!r}
WORDS_OF_THE_FILE = {tuple(WORDS)!r}
"Needs {" ".join(WORDS)}."
"""


def _findings(path: Path) -> list[tuple[str, int, str, str]]:
    return sorted((f.rule, f.line, f.severity, f.message) for f in review_paths([path]).findings)


@pytest.mark.parametrize(
    "path", sorted(FIXTURES.glob("*/bad_*.py")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_idle_words_change_no_finding(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    copy = tmp_path / path.name
    copy.write_text(text)
    expected = _findings(copy)
    assert expected
    copy.write_text(text + IDLE)
    assert _findings(copy) == expected


@pytest.mark.parametrize(
    "path", sorted(FIXTURES.glob("*/bad_*.sh")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_a_comment_changes_no_finding_of_a_launch_script(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_text(path.read_text())
    expected = _findings(copy)
    copy.write_text(path.read_text() + "\n# lightning submitit deepspeed ray << MASTER_ADDR spawn SLURM_PROCID\n")
    assert _findings(copy) == expected


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x = 1  # set_epoch\n", False),
        ('"""set_epoch"""\nx = 1\n', False),
        ("def f():\n    'set_epoch'\n", False),
        ("print('call set_epoch later')\n", False),
        ("NOTE = 'set_epoch'\n", False),
        ("call = getattr(sampler, 'set_epoch')\n", True),
        ("NAME = 'set_epoch'\ngetattr(sampler, NAME)(1)\n", True),
        ("sampler.set_epoch(1)  # at last\n", True),
        ("print(f'now {sampler.set_epoch(1)}')\n", True),
    ],
)
def test_code_is_told_from_what_is_only_said(text: str, kept: bool) -> None:
    assert ("set_epoch" in code_of(text)) is kept


def test_a_text_that_cannot_be_cut_is_returned_whole() -> None:
    assert code_of("x = (1,\n") == "x = (1,\n"


@pytest.mark.parametrize(
    ("program", "silent"), [('# reads "offlod_params"\n', False), ('x = c["offlod_params"]\n', True)]
)
def test_a_comment_of_a_program_does_not_excuse_a_key(program: str, silent: bool, tmp_path: Path) -> None:
    config = tmp_path / "a.yaml"
    config.write_text("distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n  offlod_params: true\n")
    (tmp_path / "p.py").write_text(program)
    assert ("HF206" not in {f.rule for f in review_paths([tmp_path]).findings}) is silent
