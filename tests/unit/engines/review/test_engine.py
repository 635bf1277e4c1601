"""The engine: bad input is an entry, suppressions silence, results are in order."""

import json
import time
from pathlib import Path

import pytest

from contracts.errors import FileUnreadable, RequestInvalid
from engines.review.engine import review_paths, review_source
from engines.review.sources import MAX_SOURCE_BYTES

BAD = """\
import torch
from torch.distributed.fsdp import fully_shard

def go(model):
    optimizer = torch.optim.AdamW(model.parameters())
    fully_shard(model)
    return optimizer
"""


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "a_python2.py").write_text("print 'fsdp'\n")
    (tmp_path / "b_binary.py").write_bytes(b"\x7fELF\x00\x01" * 100)
    (tmp_path / "c_deep.py").write_text("x = " + "(" * 5000 + ")" * 5000 + "  # fsdp\n")
    (tmp_path / "d_long_chain.py").write_text("# fsdp\nx = " + " + ".join("1" * 900) + "\n")
    (tmp_path / "e_latin.py").write_bytes("# fsdp caf\u00e9\nx = 1\n".encode("latin-1"))
    (tmp_path / "f_bad.py").write_text(BAD)
    result = review_paths([tmp_path])
    assert [finding.rule for finding in result.findings] == ["FSDP001"]
    assert [entry.partition(": ")[0].rpartition("/")[2] for entry in result.unreadable] == [
        "b_binary.py",
        "a_python2.py",
        "c_deep.py",
    ]
    assert [Path(name).name for name in result.files] == ["d_long_chain.py", "e_latin.py", "f_bad.py"]


def test_a_file_of_50_mib_is_one_entry(tmp_path: Path) -> None:
    big = tmp_path / "big.py"
    with big.open("wb") as stream:
        stream.truncate(50 * 2**20)
    result = review_paths([big])
    assert result.files == ()
    assert str(MAX_SOURCE_BYTES) in result.unreadable[0]


def test_a_missing_path_is_an_error() -> None:
    with pytest.raises(FileUnreadable, match="nowhere"):
        review_paths(["nowhere/train.py"])


def test_a_bad_version_is_an_error() -> None:
    with pytest.raises(RequestInvalid, match="newest"):
        review_source(BAD, "train.py", torch="newest")


def test_findings_name_rule_card_line_and_fix() -> None:
    (finding,) = review_source(BAD, "train.py")
    assert (finding.rule, finding.slug, finding.severity) == ("FSDP001", "optimizer-before-shard", "error")
    assert (finding.file, finding.line, finding.cards) == ("train.py", 5, ("optimizer-before-shard",))
    assert "AdamW" in finding.message
    assert finding.fix


@pytest.mark.parametrize("above", [True, False])
def test_a_suppression_with_a_reason_silences(above: bool) -> None:
    lines = BAD.splitlines()
    comment = "# fsdp: ignore[FSDP001] shown in the lecture"
    if above:
        lines.insert(4, "    " + comment)
    else:
        lines[4] += "  " + comment
    assert review_source("\n".join(lines), "train.py") == ()


def test_a_suppression_is_reported_when_idle_or_without_reason() -> None:
    lines = BAD.splitlines()
    lines[4] += "  # fsdp: ignore[FSDP001]"
    lines[5] += "  # fsdp: ignore[FSDP040] none here"
    found = review_source("\n".join(lines), "train.py")
    assert [(finding.rule, finding.line) for finding in found] == [("RV002", 5), ("RV001", 6)]


BROKEN_UP = """from torch.distributed.fsdp import fully_shard
import torch
def go(model):
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=1e-4,
    ){}
    fully_shard(model)
    return optimizer
"""


def test_a_suppression_at_the_end_of_a_statement_silences_all_its_lines() -> None:
    assert [found.rule for found in review_source(BROKEN_UP.format(""), "train.py")] == ["FSDP001"]
    comment = "  # fsdp: ignore[FSDP001] shown in the lecture"
    assert review_source(BROKEN_UP.format(comment), "train.py") == ()


def test_a_suppression_in_a_body_does_not_reach_its_head() -> None:
    text = BAD.splitlines()
    text.insert(4, "    # fsdp: ignore[FSDP040] none here")
    found = review_source("\n".join(text), "train.py")
    assert {finding.rule for finding in found} == {"FSDP001", "RV001"}


@pytest.mark.parametrize("comment", ["# fsdp: ignore", "# fsdp: ignore because", "# fsdp: ignore[fsdp001] why"])
def test_a_suppression_that_names_no_rule_is_noted_and_silences_nothing(comment: str) -> None:
    lines = BAD.splitlines()
    lines[4] += "  " + comment
    found = review_source("\n".join(lines), "train.py")
    assert [(finding.rule, finding.line) for finding in found] == [("FSDP001", 5), ("RV003", 5)]
    assert not found[1].edits


def test_a_notebook_is_read_cell_by_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["FSDP\n"]},
        {"cell_type": "code", "source": ["%pip install torch\n", "import torch\n"]},
        {"cell_type": "code", "source": [line + "\n" for line in BAD.splitlines()[1:]]},
    ]
    path = tmp_path / "lesson.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}, indent=1))
    (finding,) = review_paths([path]).findings
    assert finding.rule == "FSDP001"
    assert "AdamW" in path.read_text().splitlines()[finding.line - 1]
    assert finding.message.endswith("(cell 3, line 4)"), "line 5 of the script, of which the cell has all but the first"


@pytest.mark.parametrize(
    "other",
    [
        ["!torchrun --nproc-per-node=2 \\\n", "    train.py --lr 1e-4 \\\n", "    2>&1 | tee log\n", "import os\n"],
        ["%%bash\n", "for i in 1 2; do\n", "  echo $i\n", "done\n"],
        ["\n", "%%writefile config.yaml\n", "lr: 1e-4\n", "  - no Python: here\n"],
    ],
)
def test_commands_and_other_languages_in_a_notebook_hide_nothing(tmp_path: Path, other: list[str]) -> None:
    cells = [
        {"cell_type": "code", "source": other},
        {"cell_type": "code", "source": ["%%time\n", *(line + "\n" for line in BAD.splitlines())]},
    ]
    path = tmp_path / "lesson.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}, indent=1))
    result = review_paths([path])
    assert not result.unreadable
    (finding,) = result.findings
    assert finding.rule == "FSDP001"
    assert "AdamW" in path.read_text().splitlines()[finding.line - 1]
    assert finding.message.endswith("(cell 2, line 6)"), "line 5 of the script, below the magic"


def test_nothing_of_the_reviewed_code_runs(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    code = f"import pathlib\npathlib.Path({str(witness)!r}).touch()  # fsdp\n"
    (tmp_path / "evil.py").write_text(code)
    review_paths([tmp_path])
    assert not witness.exists()


def test_imports_are_followed_inside_the_project_only(tmp_path: Path) -> None:
    package = tmp_path / "proj"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sharding.py").write_text("from torch.distributed.fsdp import fully_shard as apply\n")
    (package / "train.py").write_text(
        "import torch\nfrom proj.sharding import apply\n\n\ndef go(m):\n"
        "    opt = torch.optim.SGD(m.parameters(), 0.1)\n    apply(m)\n    return opt\n"
    )
    (finding,) = review_paths([package]).findings
    assert (Path(finding.file).name, finding.line) == ("train.py", 6)
    assert review_paths([package / "train.py"]).findings == ()


CALLING_EACH_OTHER = "from torch.distributed.fsdp import fully_shard\n" + "\n".join(
    f"def h{at}(m):\n    fully_shard(m)\n    h{(at + 1) % 500}(m)\n    h{(at + 2) % 500}(m)\n" for at in range(500)
)


def _wrapped(times: int) -> str:
    return "from torch.distributed.fsdp import FullyShardedDataParallel as F\n" + "".join(
        f"def make_{at}(block_{at}):\n    return F(block_{at})\n" for at in range(times)
    )


@pytest.mark.parametrize("text", [CALLING_EACH_OTHER, _wrapped(280)], ids=["mutual", "one_by_one"])
def test_a_file_that_shards_beyond_measure_is_not_followed_to_its_end_and_this_is_said(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "hostile.py").write_text(text)
    (tmp_path / "plain.py").write_text(BAD)
    started = time.process_time()
    result = review_paths([tmp_path])
    assert time.process_time() - started < 20  # seconds of CPU; it was 34 on a fast machine, and is 1
    assert any("hostile.py:" in note and "could not be followed" in note for note in result.not_followed)
    assert any(finding.rule == "FSDP001" and finding.file.endswith("plain.py") for finding in result.findings)


def test_a_file_that_shards_often_is_followed_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text(_wrapped(100))
    assert review_paths([tmp_path]).not_followed == ()
