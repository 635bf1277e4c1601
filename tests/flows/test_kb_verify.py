"""Every probe on the torch that is installed, and probes that must notice when they are wrong."""

import ast
import shutil
import sys
from pathlib import Path

import pytest

from interfaces.service_kb import verify_cards
from knowledge.cards import FOLDER, cards
from knowledge.verification import probes_of
from runners import ProbeHost

LIMIT_S = 360.0
"""Seconds for all probes on two cores; a third of it was measured on a busy machine."""
FLIPPED = 10
"""Probes whose assertion is turned round; each must notice."""


def flipped(source: str) -> str | None:
    """Turn the first assertion of the probe function round; None where it has none of its own."""
    module = ast.parse(source)
    (probe,) = (node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == "probe")
    for statement in probe.body:
        if isinstance(statement, ast.Assert):
            statement.test = ast.UnaryOp(op=ast.Not(), operand=statement.test)
            return ast.unparse(ast.fix_missing_locations(module))
    return None


@pytest.mark.train
@pytest.mark.timeout(900)
def test_no_probe_fails_on_the_torch_that_is_installed() -> None:
    found = verify_cards()
    failed = {verdict.card: verdict.detail for verdict in found.verdicts if verdict.verdict == "failed"}
    assert not failed
    assert found.counts["held"] >= 90
    assert found.seconds < LIMIT_S


@pytest.mark.train
@pytest.mark.timeout(600)
def test_probes_whose_assertion_is_turned_round_fail(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "probes" / "_lab.py", tmp_path)
    with ProbeHost(sys.executable) as host:
        changed = {
            source: text
            for source in probes_of(cards().values(), host.torch).values()
            if (text := flipped(source.read_text(encoding="utf-8"))) and "REQUIRES" not in text
        }
        chosen = list(changed)[:: max(1, len(changed) // FLIPPED)][:FLIPPED]  # from all over the alphabet
        paths = {source.stem: tmp_path / source.name for source in chosen}
        for source in chosen:
            paths[source.stem].write_text(changed[source], encoding="utf-8")
        outcomes = list(host.run(paths))
    assert len(outcomes) == FLIPPED
    assert [outcome.probe for outcome in outcomes if outcome.verdict != "failed"] == []
    assert all("AssertionError" in outcome.detail for outcome in outcomes), [o.detail for o in outcomes]
