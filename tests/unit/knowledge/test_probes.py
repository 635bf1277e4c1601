import ast
import shutil
import sys
from pathlib import Path

import pytest

from contracts.probe import ProbeOutcome
from interfaces.service_kb import verify_cards
from knowledge.cards import FOLDER, cards
from knowledge.verification import probes_of
from runners import ProbeHost

FLIPPED = 10
"""Probes whose assertion is turned round; each must notice."""


class Flip(ast.NodeTransformer):
    """Turns the first assertion of a module round."""

    done = False

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        if not self.done:
            self.done = True
            node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)
        return node


@pytest.mark.train
@pytest.mark.timeout(900)
def test_no_probe_fails_on_the_torch_that_is_installed() -> None:
    found = verify_cards()
    failed = {verdict.card: verdict.detail for verdict in found.verdicts if verdict.verdict == "failed"}
    assert not failed
    assert found.counts.get("held", 0) > 0


@pytest.mark.train
@pytest.mark.timeout(600)
def test_a_probe_whose_assertion_is_turned_round_fails(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "probes" / "_lab.py", tmp_path)
    with ProbeHost(sys.executable) as host:
        paths = {}
        for name, source in probes_of(cards().values(), host.torch).items():
            flip = Flip()
            changed = ast.unparse(flip.visit(ast.parse(source.read_text(encoding="utf-8"))))
            if flip.done and len(paths) < FLIPPED:
                paths[name] = tmp_path / source.name
                paths[name].write_text(changed, encoding="utf-8")
        outcomes: list[ProbeOutcome] = list(host.run(paths))
    ran = [outcome for outcome in outcomes if outcome.verdict != "not_applicable"]
    assert ran
    assert [outcome.probe for outcome in ran if outcome.verdict != "failed"] == []
