"""Which nodes are not fit, by what the ranks measured."""

from typing import Any

from fsdp_preflight_bad import bad_nodes, node_checks

NO_SKEW = [(0.0, 0.0)] * 4


def fact(host: str, **more: Any) -> dict[str, Any]:
    return {"host": host, "python": "3.11", "torch": "2.13.0", "cuda": None, "nccl": None} | more


def disk(**more: Any) -> dict[str, Any]:
    return {"sees": True, "bytes_per_s": 1e9, "problem": ""} | more


FACTS = [fact(f"n{number}") for number in (1, 2, 3, 4)]
DISK = {f"n{number}": disk() for number in (1, 2, 3, 4)}
PAIRS = {"n2": 10.0, "n3": 11.0, "n4": 12.0}


def test_all_is_well() -> None:
    assert bad_nodes(FACTS, NO_SKEW, dict.fromkeys(DISK), PAIRS, DISK) == {}


def test_a_version_of_its_own() -> None:
    facts = [*FACTS[:3], fact("n4", torch="2.6.0")]
    assert bad_nodes(facts, NO_SKEW, {}, PAIRS, DISK) == {"n4": "torch 2.6.0, most have 2.13.0"}
    two = [fact("n1"), fact("n2", torch="2.6.0")]
    assert bad_nodes(two, NO_SKEW[:2], {}, {}, {}) == {}  # nobody knows which of two is right


def test_a_clock() -> None:
    skews = [(0.0, 0.0), (7.5, 0.1), (0.0, 0.1), (-3.0, 0.1)]
    assert list(bad_nodes(FACTS, skews, {}, PAIRS, DISK)) == ["n2"]


def test_a_link_four_times_slower_than_most() -> None:
    assert bad_nodes(FACTS, NO_SKEW, {}, PAIRS | {"n3": 2.4}, DISK) == {
        "n3": "2.4 GB/s to the first node, half of the nodes have 10 or more"
    }
    within = {"n1": 200.0, "n2": 200.0, "n3": 20.0, "n4": None}
    assert list(bad_nodes(FACTS, NO_SKEW, within, PAIRS, DISK)) == ["n3"]


def test_a_folder_that_is_not_shared_or_not_writable() -> None:
    found = DISK | {"n2": disk(sees=False), "n3": disk(problem="cannot write into /scratch: Read-only file system")}
    bad = bad_nodes(FACTS, NO_SKEW, {}, PAIRS, found)
    assert bad["n2"].startswith("it does not see what the first node wrote")
    assert bad["n3"] == "cannot write into /scratch: Read-only file system"
    [check] = node_checks({}, None, {}, found, None, None)
    assert (check["verdict"], check["name"]) == ("missing", "shared_folder")


def test_a_file_system_too_slow_for_the_checkpoint() -> None:
    # 4 nodes of 1e9 bytes/s; 12 GiB = 12 * 1.073741824e9 bytes take 3.22 s
    checks = {check["name"]: check for check in node_checks({}, 20.0, PAIRS, DISK, 12.0, 600.0)}
    assert checks["shared_folder"]["verdict"] == "ok"
    assert "a checkpoint of 12 GiB takes 3.22 s of 600 allowed" in checks["shared_folder"]["value"]
    assert checks["between_nodes"]["value"] == "20 GB/s (bus) among all; 10 GB/s to n2, the slowest"
    [slow] = node_checks({}, None, {}, DISK, 12.0, 3.0)
    assert slow["verdict"] == "missing"
    assert "watch.checkpoint_s" in slow["hint"]
