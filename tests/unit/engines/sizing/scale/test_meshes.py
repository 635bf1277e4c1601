"""Which mesh is taken, and the bytes that each sends, by hand."""

import pytest

from engines.sizing import weights
from engines.sizing.hf_config import named_shape
from engines.sizing.scale.meshes import Place, choose, meshes, network_gb
from engines.sizing.scale.reasons import mesh_arithmetic, mesh_because
from engines.sizing.setup import make_setup
from engines.sizing.throughput.predict import Machine
from knowledge.devices import find_device

LLAMA, LARGE = named_shape("Llama-3-8B"), named_shape("Llama-3-70B")
OUTER = 2 * 128256 * 4096 + 4096
BLOCKS = 8_030_261_248 - OUTER
H100 = find_device("H100")


def place(nodes, network=None):
    return Place(Machine(H100, nodes, network), H100.usable_gib, 8.0)


def setup(ranks, **more):
    return make_setup(**({"ranks": ranks, "seq_len": 4096, "ac": "full"} | more))


def test_bytes_through_a_machines_adapters_by_hand():
    assert weights.outer_numel(LLAMA) == OUTER
    # blocks gathered in forward and backward, the root once (bf16), all reduced once (fp32)
    full = (4 * BLOCKS + 2 * OUTER + 4 * (BLOCKS + OUTER)) * 31 / 32 / 1e9
    assert network_gb(LLAMA, setup(32), 8) == pytest.approx(full, rel=1e-6)
    # kept within the machine: the backward's gathers stay inside
    kept = (2 * BLOCKS + 2 * OUTER + 4 * (BLOCKS + OUTER)) * 31 / 32 / 1e9
    assert network_gb(LLAMA, setup(32, reshard_after_forward=8), 8) == pytest.approx(kept, rel=1e-6)
    # a replica in each of four machines: an all-reduce of all gradients, 2 x 3/4 of them
    replicas = 2 * 3 / 4 * 4 * (BLOCKS + OUTER) / 1e9
    assert network_gb(LLAMA, setup(32, dp_replicate=4), 8) == pytest.approx(replicas, rel=1e-6)
    # two replicas of two machines: gathers over 16 ranks, and a machine holds half of the gradients
    half = (4 * BLOCKS + 2 * OUTER + 4 * (BLOCKS + OUTER)) * 15 / 16 + 2 / 2 * 4 * (BLOCKS + OUTER) / 2
    assert network_gb(LLAMA, setup(32, dp_replicate=2), 8) == pytest.approx(half / 1e9, rel=1e-6)
    # accumulated unsharded over three micro-steps: three times the gathers, one reduction
    thrice = setup(32, dp_replicate=4, grad_accum=3, accumulate_unsharded=True)
    assert network_gb(LLAMA, thrice, 8) == pytest.approx(replicas, rel=1e-6)
    assert network_gb(LLAMA, setup(8), 8) == 0


def test_one_machine_has_one_mesh():
    [only] = meshes(LLAMA, setup(8), place(1))
    assert (only.kind, only.name) == ("full_shard", "1 x 8")


def test_the_meshes_of_eight_machines():
    found = meshes(LLAMA, setup(64), place(8))
    assert [mesh.name for mesh in found] == ["1 x 64", "1 x 64, reshard to 8", "2 x 32", "4 x 16", "8 x 8"]


def test_settings_that_reshard_to_a_machine_already_are_one_kind_of_three():
    plain, stated = (meshes(LLAMA, setup(64, **more), place(8)) for more in ({}, {"reshard_after_forward": 8}))
    assert [(mesh.kind, mesh.name, mesh.network_gb) for mesh in plain] == [
        (mesh.kind, mesh.name, mesh.network_gb) for mesh in stated
    ]


def test_fast_links_need_no_replicas():
    there = place(8)
    found = meshes(LLAMA, setup(64), there)
    chosen = choose(LLAMA, found, there)
    assert chosen.kind == "full_shard"
    assert "within 2%" in mesh_because(chosen, found, there)


def test_slow_links_and_accumulation_want_a_replica_in_each_machine():
    there = place(4, "25 Gb/s")
    base = setup(32, grad_accum=8, accumulate_unsharded=True)
    found = meshes(LLAMA, base, there)
    chosen = choose(LLAMA, found, there)
    assert (chosen.kind, chosen.setup.dp_replicate) == ("hsdp", 4)
    said = mesh_because(chosen, found, there)
    assert "faster than full sharding, for it sends 48 GB in place of" in said
    by_hand = mesh_arithmetic(LLAMA, found, 8)
    assert "1 x 2 x 3/4 x 4 bytes x 8,030,261,248 parameters = 48.2 GB" in by_hand[-1]


def test_the_fastest_that_does_not_fit_is_named_and_not_taken():
    there = place(8, "25 Gb/s")
    base = setup(64, reduce_dtype="bf16")
    found = meshes(LARGE, base, there)
    chosen = choose(LARGE, found, there)
    # a replica of 70.6e9 x 12 bytes of states on 8 GPUs is 105.8 GB for each: more than an H100 has
    fastest = max(found, key=lambda mesh: mesh.speed.tokens_per_s_per_gpu)
    assert (fastest.kind, fastest.setup.dp_replicate) == ("hsdp", 8)
    assert chosen is not fastest
    assert fastest.fits is False
    assert "faster and does not fit" in mesh_because(chosen, found, there)


def test_where_nothing_fits_the_leanest_is_told():
    there = place(2)
    found = meshes(LARGE, setup(16), there)
    chosen = choose(LARGE, found, there)
    assert chosen.fits is False
    assert mesh_because(chosen, found, there).startswith("No mesh fits: full sharding over 16 ranks")


def test_padded_experts_are_why_full_sharding_does_not_fit():
    """The dry run agrees: `tests/flows/dryrun/test_scale.py`."""
    shape, there = named_shape("Mixtral-8x7B"), Place(Machine(find_device("H200"), 8), 140.0, 8.0)
    found = meshes(shape, setup(64), there)
    chosen = choose(shape, found, there)
    assert chosen.kind == "hsdp"
    assert chosen.setup.shard_ranks < 64
    assert "(tensors with fewer rows than ranks are padded)" in mesh_because(chosen, found, there)
