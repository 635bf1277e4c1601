"""The 14 tuning questions, their tables checked by hand arithmetic."""

import pytest

from contracts.errors import InputError, RequestInvalid
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup
from engines.sizing.throughput.predict import Machine
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.questions import DEBUGGING, QUESTIONS, SCALE, TUNING, answer, asks
from knowledge.cards import cards
from knowledge.devices import find_device

LLAMA = named_shape("Llama-3-8B")
PARAMS = 8030261248
OUTER = 2 * 128256 * 4096 + 4096
GIB = 2**30


def ask(question, ranks=16, gpu="H100", nodes=None, network=None, **settings):
    device = find_device(gpu)
    given = {"seq_len": 8192, "ac": "full", "norm_kernel": "decomposed", "reshard_last": True} | settings
    case = Case(LLAMA, make_setup(ranks=ranks, **given), Machine(device, nodes, network), device.usable_gib)
    return answer(question, case)


def column(found, name):
    return [row[name] for row in found.rows]


def by(found, label):
    first = found.columns[0].name
    return next(row for row in found.rows if row[first] == label)


def test_there_are_fourteen_three_and_four():
    assert (len(TUNING), len(DEBUGGING), len(SCALE), len(set(QUESTIONS))) == (14, 3, 4, 21)
    assert len({asks(name) for name in QUESTIONS}) == 21
    with pytest.raises(InputError, match="no question 'colour'"):
        asks("colour")


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_answer_is_whole(question):
    found = ask(question)
    names = {column.name for column in found.columns}
    assert found.rows
    assert all(set(row) == names for row in found.rows)
    assert {found.chart.x, found.chart.y} <= names
    assert found.answer.endswith(".")
    assert found.arithmetic
    assert found.cards
    assert set(found.cards) <= set(cards())


def test_peak_adds_up():
    found = ask("peak")
    assert sum(column(found, "size")) == pytest.approx(float(found.answer.split(" GiB")[0]), abs=0.02)
    assert sum(column(found, "share")) == pytest.approx(100, abs=1)
    # fp32 weights and two moments over 16 ranks
    assert by(found, "parameters")["size"] == pytest.approx(4 * PARAMS / 16 / GIB, abs=0.01)
    assert by(found, "optimizer_state")["size"] == pytest.approx(8 * PARAMS / 16 / GIB, abs=0.01)


def test_the_root_alone_gathers_the_whole_model():
    found = ask("wrapping")
    # 14.96 GiB gathered in bf16 where one block of 0.41 was, and its unsharded gradients
    assert by(found, "root")["active"] - by(found, "blocks_root")["active"] >= 2 * PARAMS / GIB - 3


def test_batches_double_until_they_do_not_fit():
    found = ask("batch-size")
    assert column(found, "micro_batch") == [1, 2, 4]
    assert column(found, "fits") == [True, True, False]
    # a sequence of 8192 has 2 bytes x 8192 x 4096 x 32 of checkpointed inputs and 12 bytes x 8192 x 128256 of logits
    each = (2 * 8192 * 4096 * 32 + 12 * 8192 * 128256) / GIB
    grown = by(found, 2)["active"] - by(found, 1)["active"]
    assert grown == pytest.approx(each, rel=0.03)


def test_the_longest_sequence_ends_where_it_no_longer_fits():
    found = ask("sequence-length")
    assert column(found, "fits")[-2:] == [True, False]
    last, over = column(found, "seq_len")[-2:]
    assert over - last == 1024
    assert f"{last:,} tokens fit" in found.answer


def test_states_shrink_with_the_ranks():
    found = ask("data-parallel-size")
    # from 8 to 16 ranks: 12 bytes a parameter of weights and moments at the peak in the loss, halved
    saved = by(found, 8)["active"] - by(found, 16)["active"]
    assert saved == pytest.approx(12 * PARAMS * (1 / 8 - 1 / 16) / GIB, rel=0.02)
    assert "119.66 on 1" in found.arithmetic[0]


def test_the_optimizer_on_the_cpu_leaves_its_state_there():
    found = ask("optimizer-on-cpu")
    saved = by(found, "all on the GPU")["active"] - by(found, "optimizer on the CPU")["active"]
    assert saved == pytest.approx(8 * PARAMS / 16 / GIB, rel=0.01)
    # 2 x 4 bytes x P/16 over PCIe at 25.6 GB/s, 7 x 4 bytes x P/16 of host memory at 25 GB/s
    later = by(found, "optimizer on the CPU")["step"] - by(found, "all on the GPU")["step"]
    assert later == pytest.approx(PARAMS / 16 * (8 / 25.6e9 + 28 / 25e9), rel=0.05)


def test_checkpointing_trades_memory_for_a_second_forward():
    found = ask("activation-checkpointing")
    reserved, speed = column(found, "reserved"), column(found, "tokens_per_s_per_gpu")
    assert reserved[0] == max(reserved)
    assert reserved[-1] == min(reserved)
    # at most a third more compute: one forward beside one forward and two backwards
    assert 1 < speed[0] / speed[-1] < 4 / 3
    assert "none 0 %" in found.arithmetic[0]


def test_keeping_attention_costs_its_results():
    found = ask("selective-policies")
    kept = by(found, "by operation, attention kept")["active"]
    repeated = by(found, "by operation, attention repeated")["active"]
    # 2 bytes x 8192 tokens x 4096 x 32 layers = 2 GiB, and the softmax's sums: 4 bytes x 8192 x 32 heads x 32 layers
    assert kept - repeated == pytest.approx(2 + 4 * 8192 * 32 * 32 / GIB, abs=0.1)


def test_policies_by_unit_lie_between_the_ends():
    found = ask("unit-policies")
    assert by(found, 0)["reserved"] < by(found, 16)["reserved"] < by(found, 32)["reserved"]
    # the same settings worked out block by block: every second block checkpointed
    half = ask("selective-policies")
    assert by(found, 16)["reserved"] == pytest.approx(by(half, "one block in 2")["reserved"], rel=0.03)


def test_a_reduction_in_bf16_moves_half():
    found = ask("fp32-reduction", ranks=32, nodes=4, network="Ethernet 100")
    assert "bf16" in found.answer
    # 2 bytes x P x 31/32 less over 12.5 GB/s x 0.773 attained, where the network binds
    saved = by(found, "fp32")["step"] - by(found, "bf16")["step"]
    assert saved == pytest.approx(2 * PARAMS * 31 / 32 / (12.5e9 * 0.773), rel=0.05)


def test_states_of_the_policies():
    found = ask("mixed-precision")
    fp32, half = by(found, "bf16 compute, bf16 reduce"), by(found, "bf16 throughout")
    # weights and moments at the peak: 12 bytes a parameter, or 6
    assert fp32["active"] - half["active"] == pytest.approx(6 * PARAMS / 16 / GIB, rel=0.05)


def test_replicas_pay_on_a_slow_network_only():
    slow = ask("hsdp", ranks=32, nodes=4, network="Ethernet 100", seq_len=2048)
    fast = ask("hsdp", ranks=32, nodes=4, network="InfiniBand NDR")
    assert "4 replicas are the fastest" in slow.answer
    assert "does not pay" in fast.answer
    # over the adapters: 8 bytes a parameter x 31/32 against 8 x 3/4
    assert "62.2 GB for each micro-step" in slow.arithmetic[0]
    assert "48.2 GB for each reduction" in slow.arithmetic[1]
    with pytest.raises(RequestInvalid, match="one machine"):
        ask("hsdp", ranks=8)


def test_resharding_to_a_machine_keeps_an_eighth_of_the_blocks():
    found = ask("reshard-mesh")
    kept = by(found, 8)["active"] - by(found, "16 (True)")["active"]
    assert kept == pytest.approx(2 * (PARAMS - OUTER) / 8 / GIB, abs=0.01)
    assert column(found, "reserved") == sorted(column(found, "reserved"))


def test_without_resharding_the_blocks_stay():
    found = ask("no-reshard")
    more = by(found, "none is resharded")["active"] - by(found, "every block is resharded")["active"]
    assert more == pytest.approx(2 * (PARAMS - OUTER) / GIB, rel=0.01)


def test_without_a_gpu_nothing_is_judged_and_all_is_shown():
    case = Case(LLAMA, make_setup(ranks=8, seq_len=2048, ac="full"))
    for question in SCALE:
        with pytest.raises(RequestInvalid, match="without a GPU"):
            answer(question, case)
    for question in set(QUESTIONS) - {"hsdp", *SCALE}:
        found = answer(question, case)
        assert all(row.get("fits") is None for row in found.rows)
        assert all(row.get("tokens_per_s_per_gpu") is None for row in found.rows)
