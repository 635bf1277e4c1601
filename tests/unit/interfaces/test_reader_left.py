"""`fsdp-agent ... | head`: a reader that leaves is no error to complain of, and no good news either."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from interfaces.cli import exits

CLI = str(Path(sys.executable).with_name("fsdp-agent"))
WORDS = {
    "a listing": ["kb", "list"],
    "a long answer as JSON": ["kb", "list", "--json"],
    "a table": ["review", "--select", "FSDP001", str(Path(__file__))],
    "the help": ["--help"],
    "a wrong command": ["frobnicate"],
    "a wrong command as JSON": ["frobnicate", "--json"],
}


def left(words: list[str], streams: str) -> tuple[int, str]:
    """Exit code, and what came on the stream that is still read, where nobody reads the others from the start on."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [CLI, *words],
            stdout=write if "out" in streams else subprocess.PIPE,
            stderr=write if "err" in streams else subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            timeout=240,
            text=True,
        )
    finally:
        os.close(write)
    return done.returncode, (done.stdout or "") + (done.stderr or "")


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_nothing_is_complained_of_when_the_reader_of_the_output_has_gone(words: list[str]) -> None:
    code, said = left(words, "out")
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    # an error keeps its code, whatever becomes of its text
    assert code == (exits.WRONG_USE if words[0] == "frobnicate" else exits.READER_LEFT)


@pytest.mark.parametrize("words", [WORDS["a listing"], WORDS["a wrong command"]], ids=["an answer", "an error"])
def test_nor_when_both_streams_went_to_it(words: list[str]) -> None:
    assert left(words, "out err") == (exits.READER_LEFT, "")


def test_bad_news_that_a_head_cut_off_is_no_good_news_to_a_pipeline(tmp_path: Path) -> None:
    bad = tmp_path / "train.py"
    code = "from torch.distributed.fsdp import fully_shard\nimport torch\n"
    bad.write_text(code + "opt = torch.optim.AdamW(model.parameters())\nfully_shard(model)\n" * 400)
    line = f"set -o pipefail; '{CLI}' review '{bad}' | head -1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=240)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert done.returncode != exits.ANSWERED
