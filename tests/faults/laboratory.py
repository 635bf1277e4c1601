"""Makes a fault of the table through the runner and asks the product what it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from contracts.diagnosis import Diagnosis
from contracts.request import Request
from contracts.run import RunRecord
from contracts.settings import Settings
from interfaces.service_diagnose import diagnose_run
from runners import prepare_launch
from tests.faults.fault import Fault
from tests.job_shop import JobShop

PATIENCE_S = 240.0
"""How long a job of the laboratory may take; none is to take more than half a minute on an idle machine."""


@contextmanager
def made(fault: Fault, shop: JobShop) -> Iterator[tuple[RunRecord, dict[str, Any]]]:
    """Run a fault to its end; yield the record of the run and the request that it came from."""
    folder = shop.folder / "job"
    folder.mkdir()
    with fault.at(folder) as request:
        yield run(request, shop, "failing"), request


def run(request: dict[str, Any], shop: JobShop, key: str) -> RunRecord:
    """Approve, submit and await the job of a request, prepared as the agent prepares it."""
    asked = Request.model_validate(request)
    launch = prepare_launch(asked, asked.recipe, shop.home).launch
    shop.patience_s = PATIENCE_S
    return shop.wait(shop.submit(launch, key).run_id)


def found(shop: JobShop, record: RunRecord) -> Diagnosis:
    """Return what `jobs diagnose` says of a run."""
    return diagnose_run(Settings(home=str(shop.home.root)), record.run_id, None)
