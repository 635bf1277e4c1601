"""A Hermes with the agent installed, for the tests that need it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.conftest import make_bench
from tests.interop.hermes_desk import FSDP_AGENT, Desk, install


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A Hermes home with skill and server in it, and a request that can be run."""
    for name in ("hermes", "tmp", "bench"):
        (tmp_path / name).mkdir()
    # a terminal of Hermes is a login shell: it finds the command line as a person's own does
    (tmp_path / ".bash_profile").write_text(f'export PATH="{Path(FSDP_AGENT).parent}:$PATH"\n')
    made = Desk(tmp_path, make_bench(tmp_path / "bench"))
    install(made)
    yield made
    made.bench.switch("hold", False)
