"""The inputs of all jobs of the matrix, the run that nobody touched, and a case."""

from collections.abc import Iterator

import pytest

from tests.flows.matrix.case import STEPS, Bits, Case, Inputs
from tests.flows.matrix.tiny import save_model, write_data
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

PATIENCE_S = 240.0
"""Two starts of torch on a machine that is busy take a minute and more."""


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """A model folder and a data file."""
    folder = tmp_path_factory.mktemp("inputs")
    save_model(folder / "model")
    write_data(folder / "train.jsonl")
    return Inputs(folder / "model", folder / "train.jsonl")


@pytest.fixture(scope="session")
def untouched(inputs: Inputs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bits]:
    """What the run comes to that nobody touches."""
    jobs = JobShop(tmp_path_factory.mktemp("untouched"))
    jobs.patience_s = PATIENCE_S
    case = Case(jobs, inputs)
    case.submit()
    end = case.wait()
    assert (end.state, end.attempt, end.step) == ("done", 1, STEPS), case.log()
    yield case.bits()
    assert not jobs.end_all()


@pytest.fixture
def case(shop: JobShop, inputs: Inputs) -> Iterator[Case]:
    """A job that is not submitted yet; after the test nothing of it may be left."""
    shop.patience_s = PATIENCE_S
    job = Case(shop, inputs)
    with job.stack:
        yield job
