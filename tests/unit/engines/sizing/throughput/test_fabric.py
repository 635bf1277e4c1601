"""Collectives on rings, by hand arithmetic."""

import pytest

from contracts.errors import CannotBeKnown
from engines.sizing.throughput.fabric import Fabric, Reach, fabric_of, ring_s
from knowledge.devices import find_device
from knowledge.links import find_link, links

WHOLE = Reach(node=1.0, network=1.0)
TWO_LEVELS = Fabric(8, 400.0, 0.0, 50.0, 0.0)


def test_within_a_machine_the_ring_moves_all_but_one_part():
    assert ring_s(16e9, 8, 1, TWO_LEVELS, WHOLE) == pytest.approx(7 / 8 * 16e9 / 400e9)


def test_between_machines_the_ring_has_the_adapters_of_all_its_members():
    # eight adapters of 50 GB/s are as fast as the 400 GB/s within the machine
    assert ring_s(16e9, 64, 1, TWO_LEVELS, WHOLE) == pytest.approx(63 / 64 * 16e9 / 400e9)
    slow = Fabric(8, 400.0, 0.0, 6.25, 0.0)
    assert ring_s(16e9, 64, 1, slow, WHOLE) == pytest.approx(63 / 64 * 16e9 / 50e9)


def test_a_ring_across_replicas_has_one_adapter():
    assert ring_s(1e9, 4, 8, TWO_LEVELS, WHOLE) == pytest.approx(3 / 4 * 1e9 / 50e9)
    # groups of four share a machine: two ranks of each ring are neighbours on it
    assert ring_s(1e9, 4, 4, TWO_LEVELS, WHOLE) == pytest.approx(3 / 4 * 1e9 / 100e9)


def test_small_messages_take_the_hops():
    slow_start = Fabric(8, 400.0, 3.0, 50.0, 14.0)
    assert ring_s(1, 32, 1, slow_start, WHOLE) == pytest.approx((7 * 3 + 3 * 14) * 1e-6, rel=1e-3)


def test_one_rank_moves_nothing():
    assert ring_s(1e9, 1, 1, TWO_LEVELS, WHOLE) == 0


def test_the_network_may_be_named_or_stated_for_a_machine():
    h100 = find_device("H100")
    assert h100 is not None
    assert fabric_of(h100, 16, network="InfiniBand NDR").network_gb_per_s == 50
    assert fabric_of(h100, 16, network="800 Gb/s").network_gb_per_s == 800 / 8 / 8
    assert fabric_of(h100, 16, network="Ethernet 100").network_gb_per_s == 12.5 / 8
    assert fabric_of(h100, 16).assumed == links()["infiniband-ndr"]
    assert fabric_of(h100, 8).assumed is None
    with pytest.raises(CannotBeKnown, match="carrier pigeon"):
        fabric_of(h100, 16, network="carrier pigeon")


def test_every_link_has_a_source_and_every_name_is_one_link():
    spelled = {}
    for stem, link in links().items():
        assert link.source.startswith("https://")
        for name in (link.name, *link.aliases):
            assert find_link(name) == link
            assert spelled.setdefault(name.lower(), stem) == stem


def test_every_gpu_has_its_link_in_the_table():
    from knowledge.devices import devices

    assert not [device.name for device in devices().values() if find_link(device.link) is None]
