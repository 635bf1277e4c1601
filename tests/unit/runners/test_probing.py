import contextlib
import os
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.errors import RunnerError
from contracts.probe import ProbeOutcome
from runners import ProbeHost

pytestmark = pytest.mark.train

PROBES = {
    "holds": """
        import torch.distributed as dist
        import torch
        def probe(rank, world_size):
            print("noise on stdout" * 1000)
            total = torch.ones(1) * rank
            dist.all_reduce(total)
            assert total.item() == 1.0
            return {"sum": total.item(), "ranks": world_size}
    """,
    "four_ranks": """
        import os
        WORLD_SIZE = 4
        def probe(rank, world_size):
            assert os.environ["RANK"] == os.environ["LOCAL_RANK"] == str(rank)
            return world_size
    """,
    "fails_on_rank_1": """
        def probe(rank, world_size):
            assert rank == 0, "not rank 0"
    """,
    "raises": """
        def inner():
            raise KeyError("first line\\nsecond line")
        def probe(rank, world_size):
            inner()
    """,
    "overruns": """
        import time
        TIMEOUT_S = 2
        def probe(rank, world_size):
            time.sleep(600)
    """,
    "dies": """
        import os, signal
        def probe(rank, world_size):
            os.kill(os.getpid(), signal.SIGKILL)
    """,
    "leaves": """
        import os
        def probe(rank, world_size):
            os._exit(0)
    """,
    "returns_no_json": """
        def probe(rank, world_size):
            return object()
    """,
    "needs_a_module": """
        REQUIRES = ("no_such_module_anywhere",)
        def probe(rank, world_size):
            import no_such_module_anywhere
    """,
    "no_group": """
        import torch.distributed as dist
        PROCESS_GROUP = False
        def probe(rank, world_size):
            return dist.is_initialized()
    """,
    "waits_for_a_peer": """
        import time
        from datetime import timedelta
        import torch, torch.distributed as dist
        def probe(rank, world_size):
            group = dist.new_group(timeout=timedelta(seconds=2))
            started_s = time.monotonic()
            if rank == 0:
                try:
                    dist.all_reduce(torch.ones(1), group=group)
                except RuntimeError:
                    return time.monotonic() - started_s > 1.5
                return "no hang"
    """,
    "no_python": "def probe(",
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ProbeOutcome]]:
    folder = tmp_path_factory.mktemp("probes")
    paths = {name: folder / f"{name}.py" for name in PROBES}
    for name, path in paths.items():
        path.write_text(textwrap.dedent(PROBES[name]), encoding="utf-8")
    with ProbeHost(sys.executable) as host:
        yield {outcome.probe: outcome for outcome in host.run(paths, jobs=3)}


def test_every_probe_is_reported_once(outcomes: dict[str, ProbeOutcome]) -> None:
    assert set(outcomes) == set(PROBES)


@pytest.mark.parametrize(
    ("name", "observed"),
    [
        ("holds", {"sum": 1.0, "ranks": 2}),
        ("four_ranks", 4),
        ("no_group", False),
        # the peer that is done stays, so the wait is for the time-out and not for a closed connection
        ("waits_for_a_peer", True),
    ],
)
def test_what_held_carries_what_rank_0_saw(outcomes: dict[str, ProbeOutcome], name: str, observed: object) -> None:
    assert outcomes[name].verdict == "held", outcomes[name].detail
    assert outcomes[name].observed == observed


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("fails_on_rank_1", "rank 1: line 3, in probe assert rank == 0"),
        ("fails_on_rank_1", "AssertionError: not rank 0"),
        ("raises", "KeyError: 'first line"),
        ("overruns", "killed after 2 s"),
        ("dies", "ended by signal 9"),
        ("leaves", "returned nothing"),
        ("returns_no_json", "TypeError"),
        ("no_python", "unreadable"),
    ],
)
def test_what_failed_says_why(outcomes: dict[str, ProbeOutcome], name: str, detail: str) -> None:
    assert outcomes[name].verdict == "failed"
    assert outcomes[name].observed is None
    assert detail in outcomes[name].detail


def test_what_cannot_run_here_says_what_is_missing(outcomes: dict[str, ProbeOutcome]) -> None:
    assert outcomes["needs_a_module"].verdict == "not_applicable"
    assert "no_such_module_anywhere" in outcomes["needs_a_module"].detail


def test_the_ranks_end_with_the_host(tmp_path: Path) -> None:
    path = tmp_path / "sleeps.py"
    path.write_text(
        "import os, time\nfrom pathlib import Path\nPROCESS_GROUP = False\n"
        f"def probe(rank, world_size):\n    Path({str(tmp_path)!r}, f'pid{{rank}}').write_text(str(os.getpid()))\n"
        "    time.sleep(600)\n",
        encoding="utf-8",
    )
    marks = [tmp_path / "pid0", tmp_path / "pid1"]

    def drain(outcomes: Iterator[ProbeOutcome]) -> None:
        with contextlib.suppress(RunnerError, ValueError):
            list(outcomes)

    with ProbeHost(sys.executable) as host:
        reader = threading.Thread(target=drain, args=[host.run({"sleeps": path})])
        reader.start()
        deadline_s = time.monotonic() + 60
        while time.monotonic() < deadline_s and not all(mark.exists() and mark.read_text() for mark in marks):
            time.sleep(0.05)
    reader.join(timeout=30)
    pids = [int(mark.read_text()) for mark in marks]
    deadline_s = time.monotonic() + 30
    while time.monotonic() < deadline_s and any(Path(f"/proc/{pid}").exists() for pid in pids):
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.parametrize(
    ("interpreter", "words"), [("/no/such/python", "cannot be started"), ("/bin/true", "ended early")]
)
def test_an_interpreter_without_torch_is_refused(interpreter: str, words: str) -> None:
    with pytest.raises(RunnerError, match=words) as caught:
        ProbeHost(interpreter)
    assert interpreter in caught.value.message


def test_nothing_of_the_agents_environment_reaches_the_probes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "1")
    path = tmp_path / "environment.py"
    path.write_text(
        "import os\nPROCESS_GROUP = False\ndef probe(rank, world_size):\n    return sorted(os.environ)\n",
        encoding="utf-8",
    )
    with ProbeHost(sys.executable) as host:
        (outcome,) = host.run({"environment": path})
    assert "SOME_SECRET" in os.environ
    assert "SOME_SECRET" not in outcome.observed
    assert {"RANK", "WORLD_SIZE", "PATH"} <= set(outcome.observed)
