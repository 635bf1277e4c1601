"""The replay of a dry run's trace: classes from lives, peaks by hand, broken traces refused."""

import json

import pytest

from contracts.errors import FileUnreadable, RequestInvalid
from engines.sizing.dryrun import replay_trace
from engines.sizing.dryrun_figures import extrapolated
from engines.sizing.dryrun_request import FIELDS, dryrun_settings, inexpressible, quick_layers
from engines.sizing.dryrun_trace import read_trace
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup

MIB = 1 << 20
HEAD = {"format": 1, "torch": "2.13.0", "model": "Tiny", "layers": 2, "params": 10}
FOOT = {"end": True, "streams": {"0": "default", "1": "all_gather", "3": "reduce_scatter"}}

# parameters 30 MiB; gathered 20 MiB; an activation of 40 MiB; a gradient of 24 MiB; state of 50 MiB
STEP = [
    ["m", "forward"],
    ["a", 2, 20 * MIB, 1],
    ["a", 3, 20 * MIB, 0],
    ["f", 2],
    ["a", 4, 40 * MIB, 0],
    ["r", 3],
    ["m", "blocks_done"],
    ["m", "loss"],
    ["a", 5, 60 * MIB, 0],
    ["m", "backward"],
    ["f", 5],
    ["a", 6, 24 * MIB, 3],
    ["f", 4],
    ["m", "optimizer"],
    ["a", 7, 50 * MIB, 0],
    ["s"],
    ["f", 6],
]


def written(tmp_path, events, head=HEAD, foot=FOOT):
    file = tmp_path / "trace.jsonl"
    lines = [json.dumps(line) for line in (head, ["a", 1, 30 * MIB, 0], *events, foot)]
    file.write_text("\n".join(lines) + "\n")
    return file


def test_components_follow_from_their_lives(tmp_path):
    found = replay_trace(read_trace(written(tmp_path, STEP)), expandable=False)
    assert found.most == {
        "parameters": 30 * MIB,
        "optimizer_state": 50 * MIB,
        "gradients": 24 * MIB,
        "activations": 40 * MIB,
        "unsharded_groups": 20 * MIB,
        "working": 60 * MIB,
    }
    # in the loss: parameters 30, activation 40, logits 60
    assert found.active == 130 * MIB
    assert found.peak.phase == "loss"
    assert found.phase_peaks == {
        "start": 30 * MIB,
        "forward": 90 * MIB,
        "loss": 130 * MIB,
        "backward": 94 * MIB,
        "optimizer": 104 * MIB,
    }


def test_reserved_memory_is_that_of_the_pools(tmp_path):
    found = replay_trace(read_trace(written(tmp_path, STEP)), expandable=False)
    # default stream: segments of 30, 20, 40 and 60 (state of 50 fits into that of 60); 20 and 24 on the others
    assert found.pools == {"default": 150 * MIB, "all_gather": 20 * MIB, "reduce_scatter": 24 * MIB}
    assert found.reserved == found.first_step == 194 * MIB


def test_a_products_workspace_and_host_memory(tmp_path):
    events = [["m", "forward"], ["w"], ["a", 2, 7 * MIB, -1], ["f", 2], ["s"]]
    found = replay_trace(read_trace(written(tmp_path, events)), expandable=True)
    assert found.active == 62 * MIB  # parameters and cuBLAS's 32 MiB
    assert found.host == 7 * MIB


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "not JSON\n",
        json.dumps(HEAD) + "\n" + json.dumps(["a", 1, 5, 0]) + "\n",  # cut: no last line
        json.dumps(HEAD) + "\n" + json.dumps(["x", 1]) + "\n" + json.dumps(FOOT),
        json.dumps(HEAD) + "\n" + json.dumps(["a", 1, "5", 0]) + "\n" + json.dumps(FOOT),
        json.dumps(HEAD | {"format": 9}) + "\n" + json.dumps(FOOT),
    ],
)
def test_what_is_no_whole_trace_is_refused(tmp_path, content):
    file = tmp_path / "trace.jsonl"
    file.write_text(content)
    with pytest.raises(RequestInvalid):
        read_trace(file)


def test_a_trace_that_is_not_there(tmp_path):
    with pytest.raises(FileUnreadable):
        read_trace(tmp_path / "none.jsonl")


def test_phases_extrapolate_each_on_its_own(tmp_path):
    runs = []
    for layers in (2, 4):
        events = [["m", "forward"], *([["a", 10 + i, 10 * MIB, 0] for i in range(layers)]), ["m", "loss"]]
        events += [["a", 5, 60 * MIB, 0], ["f", 5], ["m", "backward"], ["a", 6, layers * 20 * MIB, 0], ["s"]]
        runs.append((layers, replay_trace(read_trace(written(tmp_path, events)), expandable=True)))
    figures = extrapolated(runs, 10)
    # loss: 30 + 10 x 10 + 60 = 190; backward: 30 + 10 x 10 + 20 x 10 = 330 MiB
    assert figures.active * 1024 == pytest.approx(330)
    assert figures.phase == "backward"


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"tp": 2}, "tp 2"),
        ({"compile": True}, "compile"),
        ({"float8": "rowwise"}, "float8"),
        ({"lora_rank": 8}, "lora_rank"),
        ({"optimizer": "adafactor"}, "adafactor"),
        ({"fsdp": 1}, "FSDP2"),
    ],
)
def test_what_cannot_be_run_dry_is_said(settings, word):
    reasons = inexpressible(make_setup(ranks=8, seq_len=128, **settings))
    assert len(reasons) == 1
    assert word in reasons[0]
    assert not inexpressible(make_setup(ranks=8, seq_len=128))


def test_the_payload_takes_every_setting():
    asked = dryrun_settings(make_setup(ranks=8, seq_len=128), named_shape("gemma-2-9b"))
    assert asked.keys() == {*FIELDS, "attention"}
    assert asked["attention"] == "eager"


@pytest.mark.parametrize(
    ("model", "settings", "layers"),
    [
        ("llama-3-8b", {}, (8, 12)),
        ("deepseek-v3", {}, (11, 15)),  # three dense layers come first
        ("llama-3-8b", {"ac": "every_k", "ac_every": 3}, (11, 17)),  # 11 = 32 in thirds, 6 = two thirds
        ("qwen2.5-0.5b", {}, (8, 12)),
    ],
)
def test_few_layers_stand_for_all(model, settings, layers):
    assert quick_layers(named_shape(model), make_setup(ranks=8, seq_len=128, **settings)) == layers
