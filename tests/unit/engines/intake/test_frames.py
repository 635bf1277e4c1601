"""Pairs of words mean something within one clause, in any order."""

import pytest

from engines.intake.frames import count_frames
from engines.intake.words_frames import FRAMES


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        ("misbehaves", "the loss has not moved since yesterday"),
        ("misbehaves", "hovering around 11.2, that loss of ours"),
        ("misbehaves", "accuracy'en rykker sig ikke, og nøjagtigheden falder aldrig"),
        ("misbehaves", "rank 0 holds 70 gb, the others 31"),
        ("misbehaves", "each save takes 25 minutes"),
        ("misbehaves", "barely 1.3x the throughput of one"),
        ("failure", "half of the messages get lost, an item vanishes"),
        ("failure", "rank 3 holder bare op med at svare"),
        ("plan", "please send the finished settings"),
        ("needed", "is fsdp overkill for us"),
        ("training_absent", "the training queue is empty"),
        ("training_absent", "ingen hos os finjusterer noget"),
        ("no_training", "fine-tuning has been taken off the plan"),
        ("hardware_unsettled", "the hardware order isn't signed"),
        ("model_open", "and the base model is undecided too"),
        ("model_use", "we want to classify 3 million mails"),
    ],
)
def test_two_groups_meet(signal: str, text: str) -> None:
    assert count_frames(text).get(signal)


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        ("misbehaves", "we log the loss. the team does not move offices"),
        ("misbehaves", "throughput is what we care about, only tokens matter"),
        ("needed", "do we need to call set_epoch with fsdp"),
        ("no_training", "the training was cancelled by slurm at step 40"),
        ("hardware_unsettled", "8 gpus with 80 gb each. the venue is undecided"),
    ],
)
def test_two_groups_do_not_meet(signal: str, text: str) -> None:
    assert not count_frames(text).get(signal)


def test_a_frame_counts_once_in_a_clause() -> None:
    assert count_frames("the loss is flat and the loss is flat. the loss hovers at 3")["misbehaves"] == 2


def test_groups_are_near_each_other() -> None:
    assert all(0 < frame.near <= 150 for frame in FRAMES)
