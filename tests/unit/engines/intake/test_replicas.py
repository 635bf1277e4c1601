"""DDP holds more than one GPU alone: gradient buckets and autocast's copies are counted."""

import pytest

from contracts.request import Request
from engines.intake.assess import assess_request
from engines.intake.reason_cards import REASON_CARDS
from knowledge.cards import cards


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We want to pretrain a 7B model from scratch on 64 H200 141GB, seq 4096", "en"),
        ("Vi vil pretræne en 7B-model på 64 H200 141GB, sekvenslængde 4096", "da"),
    ],
)
def test_seven_billion_on_h200_are_sharded(text, language):
    need = assess_request(Request(text=text))
    # 7e9 x 16 = 112 GB fit into 0.9 x 141 = 126.9 GB; a replica is 7e9 x 22 = 154 GB and the activations
    assert (need.verdict, need.language) == ("use_fsdp", language)
    assert "127 GB" in need.reasons[0].text
    assert "DDP" in need.reasons[0].text


def test_what_ddp_holds_easily_is_left_to_it():
    need = assess_request(Request(text="Pretrain a 1.5B model on 64 H200 141GB, seq 4096. FSDP?"))
    assert need.verdict == "not_needed"
    assert "ddp_suffices" in {reason.code for reason in need.reasons}


def test_on_one_gpu_there_are_no_replicas():
    assert assess_request(Request(text="Full fine-tune of a 7B model on one H200 141GB")).verdict == "not_needed"


def test_reasons_carry_cards_that_exist():
    known = set(cards())
    assert {slug for slugs in REASON_CARDS.values() for slug in slugs} <= known
    need = assess_request(Request(text="Full fine-tune of Llama-3-8B, seq 8192, on 8 H100 80GB"))
    assert all(reason.cards for reason in need.reasons)
