"""Verdicts of a preflight: each check well, with a drawback, and unfit."""

import pytest
from fsdp_preflight_links import _PERIOD, Links
from fsdp_preflight_verdicts import verdicts

GIB = 1 << 30


def fact(rank, **changes):
    usual = {
        "rank": rank,
        "host": "node1",
        "address": "10.0.0.1",
        "python": "3.11.7",
        "torch": "2.9.0",
        "cuda": "12.8",
        "nccl": "2.27.3",
        "gpu": "H100",
        "shm_free_bytes": 8 * GIB,
        "disk_free_bytes": 100 * GIB,
        "open_files": 65536,
        "locked_bytes": None,
        "processes": 65536,
        "infiniband": False,
        "interfaces": ["lo", "eth0"],
        "interface_variable": "NCCL_SOCKET_IFNAME",
        "interface": None,
    }
    return usual | changes


def speed(size_bytes=64 << 20, bus=20.0, right=True):
    return {"bytes": size_bytes, "seconds": 1e-3, "bus_gb_per_s": bus, "right": right}


def told(first=None, second=None, skews=((0.0, 0.0), (0.001, 0.0001)), bandwidth=None, device="cuda"):
    facts = [fact(0, **(first or {})), fact(1, **(second or {}))]
    return {check["name"]: check for check in verdicts(facts, skews, bandwidth or [speed(1024), speed()], device)}


def test_all_well():
    checks = told()
    assert {check["verdict"] for check in checks.values()} == {"ok"}
    assert not any(check["hint"] for check in checks.values())
    assert "same_nccl" not in told(device="cpu")


@pytest.mark.parametrize(
    ("name", "verdict", "change", "said"),
    [
        ("same_torch", "missing", {"torch": "2.8.0"}, "2.9.0 on ranks 0; 2.8.0 on ranks 1"),
        ("same_python", "missing", {"python": "3.10.0"}, "3.10.0 on ranks 1"),
        ("same_cuda", "missing", {"cuda": "12.6"}, "12.6 on ranks 1"),
        ("same_nccl", "missing", {"nccl": "2.20.5"}, "2.20.5 on ranks 1"),
        ("same_gpu", "warning", {"gpu": "A100"}, "A100 on ranks 1"),
        ("interface", "missing", {"interface": "ib0"}, "no interface of ranks 1"),
        ("interface", "warning", {"host": "node2", "address": "127.0.1.1"}, "no address of a network"),
        ("shared_memory", "warning", {"shm_free_bytes": 64 << 20, "host": "node2"}, "0.1 GiB free on node2"),
        ("disk", "warning", {"disk_free_bytes": 9 * GIB}, "9.0 GiB"),
        ("open_files", "warning", {"open_files": 1024}, "1024"),
        ("locked_memory", "warning", {"locked_bytes": 64 << 10, "infiniband": True}, "0.00 GiB"),
        ("locked_memory", "ok", {"locked_bytes": 64 << 10}, "no InfiniBand"),
        ("processes", "warning", {"processes": 512}, "512"),
        ("processes", "ok", {"processes": None}, "65536"),
    ],
)
def test_one_rank_that_differs(name, verdict, change, said):
    check = told(second=change)[name]
    assert check["verdict"] == verdict
    assert said in check["value"]
    assert bool(check["hint"]) == (verdict != "ok")


@pytest.mark.parametrize(
    ("wanted", "verdict"),
    [("eth0", "ok"), ("eth", "ok"), ("=eth", "missing"), ("=eth0", "ok"), ("^docker", "ok"), ("ib,eth", "ok")],
)
def test_names_of_interfaces_as_nccl_reads_them(wanted, verdict):
    assert told({"interface": wanted}, {"interface": wanted})["interface"]["verdict"] == verdict


def test_wrong_sums_are_named_by_size():
    check = told(bandwidth=[speed(1024, right=False), speed()])["all_reduce"]
    assert (check["verdict"], check["value"]) == ("missing", "wrong sums at 1024 bytes")


@pytest.mark.parametrize(
    ("device", "bus", "verdict"),
    [("cuda", 0.9, "warning"), ("cuda", 1.1, "ok"), ("cpu", 0.9, "ok"), ("cpu", None, "ok")],
)
def test_bandwidth_is_judged_by_device(device, bus, verdict):
    assert told(bandwidth=[speed(1024, bus), speed(bus=bus)], device=device)["bandwidth"]["verdict"] == verdict


@pytest.mark.parametrize(("ahead_s", "error_s", "verdict"), [(-1.5, 0.1, "warning"), (1.05, 0.1, "ok"), (0.9, 0, "ok")])
def test_clocks_count_only_beyond_their_error(ahead_s, error_s, verdict):
    check = told(skews=((0.0, 0.0), (ahead_s, error_s)))["clocks"]
    assert check["verdict"] == verdict
    assert "rank 1" in check["value"]


def test_the_pattern_is_exact_in_float32_for_the_most_ranks_and_sizes_reach_64_mib():
    ranks = 1024
    assert (_PERIOD - 1) * ranks * (ranks + 1) // 2 < 2**24
    assert (Links.sizes_bytes()[0], Links.sizes_bytes()[-1]) == (1024, 64 * 1024 * 1024)
