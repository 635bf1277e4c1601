"""A Danish request through the command line: verdict, reasons, questions, plan and approval in Danish."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from interfaces.cli import words
from interfaces.cli.words import word

CLI = str(Path(sys.executable).parent / "fsdp-agent")
ENGLISH = ("because", "assumed", "waits for", "approve it", "by hand", "peak per rank", "runs   ", "no findings")


def cli(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "FSDP_AGENT_HOME": str(home / "agent"), "COLUMNS": "200"}
    return subprocess.run([CLI, *arguments], capture_output=True, text=True, timeout=300, env=environment)


def test_assess_in_danish(tmp_path: Path) -> None:
    told = cli(tmp_path, "assess", "Fuld finetuning af Llama-3-70B på 8 H100 80GB med 8192 tokens").stdout
    assert "men det kan ikke være på disse GPU'er" in told
    assert "Fuld træning med AdamW" in told
    assert "(antaget: 1 pr. GPU)" in told
    assert "assumed" not in told


def test_a_danish_run_is_planned_and_put_forward_in_danish(tmp_path: Path, bench: Any) -> None:
    file = tmp_path / "anmodning.yaml"
    file.write_text(yaml.safe_dump(bench.request | {"text": "Kør dette job på to CPU-ranks, tak", "language": "da"}))
    done = cli(tmp_path, "run", str(file))
    assert done.returncode == 4, done.stderr
    for said in ("spidsforbrug pr. rank", "beslutning", "fordi", "antaget: ", "gennemgang: ingen fund", "kører        ",
                 "hænger efter", "venter på godkendelse af kørsel", "godkend den: fsdp-agent approve"):  # fmt: skip
        assert said in done.stdout, (said, done.stdout)
    assert not [word for word in ENGLISH if word in done.stdout]


@pytest.mark.parametrize("key", sorted(words._WORDS))
def test_both_languages_take_the_same_values(key: str) -> None:
    import string

    english, danish = ({name for _, name, _, _ in string.Formatter().parse(text) if name} for text in words._WORDS[key])
    assert english == danish


def test_values_are_inserted_and_not_read_as_templates() -> None:
    assert word("waits", "da", hash="{0.__class__}") == "venter på godkendelse af kørsel {0.__class__}"
