import json
import shutil
from pathlib import Path

import pytest

from contracts.probe import CardVerdict, ProbeOutcome
from knowledge.cards import FOLDER, Cards, cards
from knowledge.verification import (
    probe_digest,
    probes_of,
    record,
    recorded,
    recorded_versions,
    settle,
    verdict_of,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the knowledge base whose record may be changed."""
    for name in ("cards", "probes"):
        shutil.copytree(FOLDER / name, tmp_path / name)
    return tmp_path


def test_two_versions_at_least_are_recorded() -> None:
    assert {"2.13.0", "2.14.1"} <= set(recorded_versions())


@pytest.mark.parametrize("torch", recorded_versions())
def test_records_and_specifiers_agree(torch: str) -> None:
    """A claim that failed on a version must not be stated for it."""
    for slug, entry in recorded(torch).items():
        card = cards()[slug]
        if entry["verdict"] == "failed":
            assert not card.holds_in(torch), (
                f"{cards().path(slug)}: failed on torch {torch}, yet its torch says {card.torch}"
            )
        if entry["verdict"] == "held":
            assert card.holds_in(torch), f"{cards().path(slug)}: held on torch {torch}, outside of {card.torch}"
            assert entry["probe_sha256"] == probe_digest(card.probe or ""), f"{slug}: run kb verify --write again"


def test_every_probed_card_was_seen_to_hold() -> None:
    held = {
        slug for torch in recorded_versions() for slug, entry in recorded(torch).items() if entry["verdict"] == "held"
    }
    assert {card.slug for card in cards().values() if card.evidence == "probed"} <= held


def test_a_card_about_other_versions_is_settled_without_its_probe() -> None:
    verdict = settle(cards()["tied-params-split-groups"], "2.9.0")
    assert verdict is not None
    assert verdict.verdict == "not_applicable"
    assert "tied_params_split_groups" not in probes_of(cards().values(), "2.9.0")
    assert "tied_params_split_groups" in probes_of(cards().values(), "2.13.0")


def test_a_record_keeps_what_other_runs_wrote(folder: Path) -> None:
    known = Cards(folder)
    for slug in ("root-not-sharded", "optimizer-before-shard"):
        outcome = ProbeOutcome(probe=known[slug].probe or "", verdict="held", seconds=1.0, observed={"seen": 1})
        (path,) = record([verdict_of(known[slug], "2.13.0", outcome)], known, folder)
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["torch"] == "2.13.0"
    assert list(written["cards"]) == ["optimizer-before-shard", "root-not-sharded"]
    assert written["cards"]["root-not-sharded"]["observed"] == {"seen": 1}


def test_what_a_changed_probe_found_leaves_every_record(folder: Path) -> None:
    known = Cards(folder)
    slugs = ("root-not-sharded", "optimizer-before-shard")
    record([CardVerdict(card=slug, verdict="held", torch="2.12.0") for slug in slugs], known, folder)
    path = folder / "probes" / "root_not_sharded.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    record([CardVerdict(card="root-not-sharded", verdict="held", torch="2.13.0")], known, folder)
    assert list(recorded("2.12.0", folder)) == ["optimizer-before-shard"]
    assert list(recorded("2.13.0", folder)) == ["root-not-sharded"]


def test_a_card_that_is_gone_leaves_the_record(folder: Path) -> None:
    known = Cards(folder)
    for slug in ("root-not-sharded", "optimizer-before-shard"):
        record([CardVerdict(card=slug, verdict="held", torch="2.13.0")], known, folder)
    (folder / "cards" / "root-not-sharded.md").unlink()
    for other in (folder / "cards").glob("*.md"):
        text = other.read_text(encoding="utf-8")
        other.write_text(text.replace("root-not-sharded", "implicit-low-precision-reduce"), encoding="utf-8")
    record([CardVerdict(card="optimizer-before-shard", verdict="held", torch="2.13.0")], Cards(folder), folder)
    assert list(recorded("2.13.0", folder)) == ["optimizer-before-shard"]
