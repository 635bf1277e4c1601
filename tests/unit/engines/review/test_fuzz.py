"""Whatever is given, the review answers, and no rule stumbles."""

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from engines.review.engine import review_paths

CASES = Path(__file__).parents[3] / "cases"
TOKENS = ("model", "None", "self", "*", "**x", "()", "[0]", "lambda: 0", "x.y", '"a"', "1", "yield", "await")
MUTANTS = 120


def _corpus() -> list[Path]:
    kinds = (".py", ".yaml", ".sh", ".toml", ".sbatch", ".lock", ".txt")
    return sorted(path for path in CASES.glob("review*/**/*") if path.suffix in kinds)


def _mutated(text: str, other: str, chance: random.Random) -> str:
    lines = text.splitlines()
    for _ in range(chance.randint(1, 4)):
        if not lines:
            break
        place, second = chance.randrange(len(lines)), chance.randrange(len(lines))
        kind = chance.randrange(6)
        if kind == 0:
            del lines[place]
        elif kind == 1:
            lines[place], lines[second] = lines[second], lines[place]
        elif kind == 2:
            lines.insert(place, lines[second])
        elif kind == 3:
            words = re.split(r"(\W)", lines[place])
            words[chance.randrange(len(words))] = chance.choice(TOKENS)
            lines[place] = "".join(words)
        elif kind == 4:
            lines[place:place] = other.splitlines()[:8]
        else:
            lines[place] = "    " + lines[place]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(4))
def test_mutants_are_reviewed(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    corpus = _corpus()
    for number in range(MUTANTS):
        source = chance.choice(corpus)
        mutant = tmp_path / f"m{number}{source.suffix}"
        mutant.write_text(_mutated(source.read_text(), chance.choice(corpus).read_text(), chance))
    result = review_paths([tmp_path])
    assert len(result.files) + len(result.unreadable) > MUTANTS / 2
    assert not [note for note in result.not_followed if "could not be applied" in note]


def test_a_yaml_bomb_does_not_unfold(tmp_path: Path) -> None:
    names = "abcdefghij"
    lines = ["fsdp_config: {fsdp_version: 2}", "a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, name in pairwise(names):
        lines.append(f"{name}: &{name} {{" + ", ".join(f"k{i}: *{before}" for i in range(9)) + "}")
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    result = review_paths([tmp_path])
    assert "entries" in result.unreadable[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.py", "# fsdp\n" + "".join(" " * i + "if x:\n" for i in range(90)) + " " * 90 + "pass\n"),
        ("lists.py", "# fsdp\nx = " + "[" * 150 + "]" * 150 + "\n"),
        ("attributes.py", "# fsdp\nx" + ".a" * 3000 + "\n"),
        ("calls.py", "# fsdp\nx" + "()" * 2000 + "\n"),
        ("recursion.py", "# fsdp\ndef f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nf(1)\n"),
        ("cycle.py", "# fsdp\na = []\na.append(a)\nfor x in a:\n    for y in x:\n        print(y, *a, **{'k': a})\n"),
        ("base.py", "# fsdp\nclass A(A):\n    pass\nclass B(A, B):\n    x = B()\nB().y\n"),
        ("star.py", "# fsdp\nfrom torch.distributed.fsdp import *\nfully_shard(*m, **k)\n"),
        ("deep.yaml", "fsdp_config: " + "{a: " * 400 + "1" + "}" * 400),
        ("deep.json", '{"fsdp_config": ' + '{"a": ' * 400 + "1" + "}" * 400 + "}"),
        ("odd.sh", "torchrun 'unclosed --nproc-per-node=2 train.py\n#SBATCH\n#SBATCH --nodes\n"),
        ("empty.ipynb", "{}"),
        ("bytes.yaml", "fsdp_config: \x07\n"),
    ],
)
def test_odd_input_is_answered(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    result = review_paths([path])
    assert not result.findings or name == "star.py"
    assert not [note for note in result.not_followed if "could not be applied" in note]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('# fsdp\nprint "x"\n', "Python 2 syntax at line 2"),
        ("# fsdp\ndef f(:\n", "line 2"),
        ("# fsdp\nx = 1\n\x00", "a binary file"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "old.py"
    path.write_text(text)
    good = tmp_path / "good.py"
    good.write_text("from torch.distributed.fsdp import fully_shard\nfully_shard(m)\n")
    result = review_paths([tmp_path])
    (note,) = result.unreadable
    assert note.startswith(str(path))
    assert said in note
    assert result.files == (str(good),)


def test_type_parameters_of_newer_pythons_do_not_stop_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    path.write_text(
        "from torch.distributed.fsdp import fully_shard\n\ntype Pair[T] = tuple[T, T]\n\n\n"
        "class Box[T: int]:\n    pass\n\n\n"
        "def step[T](model, x: T, mesh) -> T:\n    for block in model.blocks:\n        fully_shard(block, mesh=mesh)\n"
        "    fully_shard(model, mesh=mesh)\n    return model.forward(x)\n"
    )
    result = review_paths([path])
    assert result.unreadable == ()
    assert [(finding.rule, finding.line, finding.column) for finding in result.findings] == [("FSDP080", 14, 12)]


def test_a_file_of_fifty_megabytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "huge.py"
    with path.open("wb") as stream:
        stream.truncate(50 * 2**20)
    result = review_paths([path])
    assert "bytes" in result.unreadable[0]
